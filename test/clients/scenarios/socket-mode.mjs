/**
 * Events through @slack/socket-mode or Bolt: `node socket-mode.mjs FOLDER PACKAGE`. Prints a line of JSON for each
 * connection, event and mistake. Ends with its input.
 */
import { createRequire } from "node:module";
import { join } from "node:path";

const [folder, name] = process.argv.slice(2);
const require = createRequire(join(folder, "index.js"));
const { APP_TOKEN: appToken, TOKEN: token, URL: url } = process.env;
const slackApiUrl = `${url}/`;
const say = (line) => console.log(JSON.stringify(line));
const problem = (error) => say({ problem: String(error?.stack ?? error) });
const report = ({ type, subtype, text, ts }, id) => say({ event: { type, subtype, text, ts }, id });
process.on("unhandledRejection", problem);
process.stdin.resume().on("end", () => process.exit(0));

if (name === "@slack/bolt") {
  const { App, LogLevel } = require(name);
  const app = new App({
    ...{ token, appToken, socketMode: true, clientOptions: { slackApiUrl } },
    logLevel: LogLevel.WARN,
    // It makes its own client for connections, with the address of the service.
    receiver: undefined,
  });
  app.event(/.*/, async ({ event, body }) => report(event, body.event_id));
  app.message(/^ping$/, async ({ say: answer }) => {
    await answer("pong");
  });
  app.error(async (error) => problem(error));
  await app.start();
  say({ connected: true });
} else {
  const { SocketModeClient } = require(name);
  const client = new SocketModeClient({ appToken, clientOptions: { slackApiUrl } });
  client.on("slack_event", async ({ ack, body }) => {
    await ack();
    report(body.event, body.event_id);
  });
  client.on("connected", () => say({ connected: true }));
  client.on("error", problem);
  await client.start();
}
