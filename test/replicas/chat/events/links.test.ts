/** Events of links, for the apps that preview those of their domains. */
import { expect, test } from "bun:test";
import { GENERAL, type Scene, useScenes } from "../scene";
import { MEMBER, OUTSIDER, observe, onlyOf, typesOf } from "./observe";

const newScene = useScenes();

const ACME = { ...MEMBER, domains: ["acme.test", "acme.example"] };
const OTHER = { ...OUTSIDER, domains: ["other.test"] };
const post = ({ john }: Scene, text: string, more: object = {}) =>
  john.chat.postMessage({ channel: GENERAL, text, ...more });

test("each app receives the links of its domains and their subdomains, each once", async () => {
  const scene = await newScene();
  const seen = await observe(scene);
  const text =
    "see https://acme.test/a?b=1&c=2, <https://docs.ACME.example:8443/x|the docs>, https://acme.test/a?b=1&c=2 and https://other.test";

  const found = await seen(() => post(scene, text), [ACME, OTHER]);

  expect(typesOf(found)).toEqual(["message.channels", "link_shared", "link_shared"]);
  const [message, ours, theirs] = found;
  const { ts, user } = message?.event ?? {};
  const fields = {
    ...{ type: "link_shared", channel: GENERAL, user, message_ts: ts },
    source: "conversations_history",
    unfurl_id: expect.stringMatching(new RegExp(`^${GENERAL}\\.${ts}\\.[0-9a-f]{64}$`)),
    event_ts: expect.any(String),
  };
  const missed = "it receives other links, or none";
  expect(ours).toMatchObject({ missed: { [OTHER.id]: missed } });
  expect(ours?.event).toEqual({
    ...{ ...fields, is_bot_user_member: true },
    links: [
      { domain: "acme.test", url: "https://acme.test/a?b=1&amp;c=2" },
      { domain: "acme.example", url: "https://docs.ACME.example:8443/x" },
    ],
  });
  expect(theirs).toMatchObject({ missed: { [ACME.id]: missed } });
  expect(theirs?.event).toEqual({
    ...{ ...fields, is_bot_user_member: false },
    links: [{ domain: "other.test", url: "https://other.test" }],
  });
});

test("apps with the same domains share an event; a reply names its thread", async () => {
  const scene = await newScene();
  const seen = await observe(scene);
  const same = { ...ACME, id: "A08SAME" };
  const { ts } = await post(scene, "a thread");

  const found = await seen(
    () => post(scene, "https://acme.test", { thread_ts: ts }),
    [ACME, same, OTHER],
  );

  const { event, missed } = onlyOf(found, "link_shared");
  expect(event.thread_ts).toBe(ts);
  expect(Object.keys(missed)).toEqual([OTHER.id]);
});

test("there is none of other domains, of the app's own messages, of notices and of changes", async () => {
  const scene = await newScene();
  const { bot, john } = scene;
  const seen = await observe(scene);
  const typesFor = async (act: () => Promise<unknown>) => typesOf(await seen(act, [ACME]));

  const strange = "https://notacme.test https://acme.test.example http://[::1]/ acme.test";
  expect(await typesFor(() => post(scene, strange))).toEqual(["message.channels"]);
  const own = () => bot.chat.postMessage({ channel: GENERAL, text: "https://acme.test" });
  expect(await typesFor(own)).toEqual(["message.channels"]);
  const topic = { channel: GENERAL, topic: "https://acme.test" };
  expect(await typesFor(() => john.conversations.setTopic(topic))).not.toContain("link_shared");
  const { ts = "" } = await post(scene, "no link");
  const edit = { channel: GENERAL, ts, text: "https://acme.test" };
  expect(await typesFor(() => john.chat.update(edit))).not.toContain("link_shared");
  expect(typesOf(await seen(() => post(scene, "https://acme.test")))).toEqual(["message.channels"]);
});
