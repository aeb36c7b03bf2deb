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
const input = (block_id, action_id) => ({
  ...{ type: "input", block_id, label: { type: "plain_text", text: action_id } },
  element: { type: "plain_text_input", action_id },
});
const modal = (title, ...blocks) => ({
  ...{ type: "modal", callback_id: "order", title: { type: "plain_text", text: title } },
  ...{ submit: { type: "plain_text", text: "Send" }, blocks },
});
app.shortcut("new-order", async ({ ack, client, shortcut }) => {
  await ack();
  const view = modal("Order", input("amount", "number"));
  const opened = await client.views.open({ trigger_id: shortcut.trigger_id, view });
  console.log(`opened ${opened.view.id}`);
});
app.view("order", async ({ ack, view }) => {
  const { value } = view.state.values.amount.number;
  if (value === "many")
    return await ack({ response_action: "errors", errors: { amount: "A number" } });
  if (value === "7")
    return await ack({
      response_action: "update",
      view: modal("Sure?", input("amount", "number")),
    });
  await ack();
});
app.command("/order", async ({ ack, command }) => {
  await ack({ response_type: "in_channel", text: `ordered ${command.text}` });
});
app.command("/slow", async ({ ack, respond }) => {
  await ack();
  await respond({ response_type: "in_channel", text: "at last" });
});
app.shortcut("quote", async ({ ack, respond, shortcut }) => {
  await ack();
  await respond({ response_type: "in_channel", text: `quoted: ${shortcut.message.text}` });
});
const cities = ["Bern", "Berlin", "Bergen"];
app.options("city", async ({ ack, payload }) => {
  const found = cities.filter((city) => city.startsWith(payload.value)).slice(0, 2);
  await ack({
    options: found.map((value) => ({ value, text: { type: "plain_text", text: value } })),
  });
});
app.action("city", async ({ ack, action, respond }) => {
  await ack();
  await respond({
    response_type: "in_channel",
    replace_original: false,
    text: `${action.selected_option.value} it is`,
  });
});
await app.start();
console.log("connected");
