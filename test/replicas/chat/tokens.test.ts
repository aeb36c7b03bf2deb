/** Which kind of token a method takes: a person's, or a bot's too. */
import { expect, test } from "bun:test";
import { METHODS } from "~/replicas/chat/api/index";
import { AGENT, BOT, clientAs, JOHN, outcome, useScenes } from "./scene";

const newScene = useScenes();

/** Methods whose documentation names scopes of user tokens only. */
const USER_ONLY = [
  "dnd.endDnd",
  "dnd.endSnooze",
  "dnd.setSnooze",
  "files.sharedPublicURL",
  "reminders.add",
  "reminders.complete",
  "reminders.delete",
  "reminders.info",
  "reminders.list",
  "search.all",
  "search.files",
  "search.messages",
  "stars.add",
  "stars.list",
  "stars.remove",
  "team.accessLogs",
  "team.billableInfo",
  "team.integrationLogs",
  "users.deletePhoto",
  "users.identity",
  "users.profile.set",
  "users.setPhoto",
];

/** Methods without which the other calls would fail. */
const ENDING = ["auth.revoke"];
/** Methods of apps' own tokens: connections.test.ts. */
const APP_ONLY = ["apps.connections.open"];

test("a bot may call every method but those of people, before anything else is checked", async () => {
  const { bot, agent } = await newScene();
  const names = [...METHODS.keys()].filter((name) => ![...ENDING, ...APP_ONLY].includes(name));

  const rejected = async (client: typeof bot) => {
    const outcomes = await Promise.all(
      names.map(async (name) => [name, await outcome(client.apiCall(name))] as const),
    );
    return outcomes.filter(([, code]) => code === "not_allowed_token_type").map(([name]) => name);
  };

  expect((await rejected(bot)).sort()).toEqual(USER_ONLY);
  expect(await rejected(agent)).toEqual([]);
  expect([...METHODS.values()].filter(({ appOnly }) => appOnly).map(({ name }) => name)).toEqual(
    APP_ONLY,
  );
});

test("a token of the form of a bot's is a bot's, for any user and however it is sent", async () => {
  const { url, john } = await newScene();
  const search = async (headers: Record<string, string>, token = "") => {
    const body = new URLSearchParams({ query: "welcome", ...(token && { token }) });
    const answer: any = await (
      await fetch(`${url}/search.messages`, { method: "POST", headers, body })
    ).json();
    return answer.error ?? "ok";
  };
  const REJECTED = "not_allowed_token_type";

  expect(await search({ Authorization: `Bearer xoxb-${JOHN}` })).toBe(REJECTED);
  expect(await search({}, `xoxb-${AGENT}`)).toBe(REJECTED);
  expect(await search({ Authorization: `Bearer xoxp-${BOT}` })).toBe(REJECTED);
  expect(await search({ Authorization: `Bearer xoxp-${JOHN}` })).toBe("ok");
  expect(await outcome(john.chat.postMessage({ channel: "C01GENERAL", text: "xoxb-" }))).toBe("ok");
});

test("a rejected bot leaves no trace", async () => {
  const { url, state } = await newScene();
  const before = await state();

  const bot = clientAs(url, BOT);
  const set = bot.users.profile.set({ profile: { status_text: "busy" } as never });

  expect(await outcome(set)).toBe("not_allowed_token_type");
  expect(await state()).toEqual(before);
});
