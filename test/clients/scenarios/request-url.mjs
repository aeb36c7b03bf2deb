/** An app with a Request URL, by Bolt: `node request-url.mjs FOLDER PORT`. Answers each mention in its thread. */
import { createRequire } from "node:module";
import { join } from "node:path";

const [folder, port] = process.argv.slice(2);
const require = createRequire(join(folder, "index.js"));
const { SIGNING_SECRET: signingSecret, TOKEN: token, URL: url } = process.env;
const { App } = require("@slack/bolt");

const app = new App({ token, signingSecret, clientOptions: { slackApiUrl: `${url}/` } });
app.event("app_mention", async ({ event, say }) => {
  await say({ text: "pong", thread_ts: event.ts });
});
await app.start(Number(port));
