/** An app by Bolt whose listeners answer what people do: `node acting.mjs FOLDER`. */
import { createRequire } from "node:module";
import { join } from "node:path";

const [folder] = process.argv.slice(2);
const require = createRequire(join(folder, "index.js"));
const { APP_TOKEN: appToken, TOKEN: token, URL: url } = process.env;
const { App } = require("@slack/bolt");

const app = new App({
  ...{ token, appToken, socketMode: true },
  clientOptions: { slackApiUrl: `${url}/` },
});
app.action("approve", async ({ ack, action, body, respond }) => {
  await ack();
  await respond({ text: `${action.value} approved by <@${body.user.id}>` });
});
await app.start();
console.log("connected");
