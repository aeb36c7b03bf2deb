/** A call of each method of chat, with everything that it takes. */
import type { Method } from "~/replicas/chat/method";

const GIVEN: Readonly<Record<string, unknown>> = {
  channel: "C01GENERAL",
  channel_id: "C01GENERAL",
  user: "U02JOHNADOE",
  users: "U02JOHNADOE,U03ROBINRAY",
  ts: "1767603600.731938",
  timestamp: "1767603600.731938",
  message_ts: "1767603600.731938",
  text: "hello <@U02JOHNADOE>",
  query: "welcome",
  name: "tada",
  title: "A title",
  topic: "A topic",
  purpose: "A purpose",
  type: "link",
  link: "https://example.com",
  time: "1773300000",
  post_at: 1773300000,
  limit: 20,
};

/** Those that a method takes, with values of chat_default. */
export const argumentsOf = ({ args }: Method) =>
  Object.fromEntries(
    Object.keys(args.properties).flatMap((key) => (key in GIVEN ? [[key, GIVEN[key]]] : [])),
  );
