/** Every list has a defined order, independent of the order of rows on disk, even between equals. */
import { expect, test } from "bun:test";
import { METHODS } from "~/replicas/chat/api/index";
import { levelRows, preferHeapOrder, reverseRows } from "../../support/heap";
import {
  AGENT,
  BOT,
  GENERAL,
  GUEST,
  JOHN,
  RANDOM,
  ROBIN,
  type Scene,
  useScenes,
  WELCOME,
} from "./scene";

const newScene = useScenes(preferHeapOrder);

/** Methods that only read. */
const READING =
  /(^|\.)(list|info|history|replies|members|all|files|messages|get|getPresence|getPermalink|getSections|lookup|lookupByEmail|lookupCanvas|conversations|identity|teamInfo|accessLogs|billableInfo|integrationLogs|listViews|preferences)$|\.list/;
const reading = [...METHODS.values()].filter(({ name }) => READING.test(name));

const TEXT = "the same words";

/** Rows of every kind, several of each. */
async function fill({ agent, john, robin }: Scene) {
  const channels: string[] = [];
  for (const name of ["c-one", "a-two", "b-three"]) {
    const { channel } = await agent.conversations.create({ name });
    channels.push(channel?.id ?? "");
    await agent.conversations.invite({ channel: channel?.id ?? "", users: `${ROBIN},${JOHN}` });
  }
  const made: { channel: string; ts: string; thread_ts?: string }[] = [];
  for (const client of [robin, john, agent, robin]) {
    const { ts = "" } = await client.chat.postMessage({ channel: GENERAL, text: TEXT });
    made.push({ channel: GENERAL, ts });
    await client.chat.postMessage({ channel: GENERAL, text: TEXT, thread_ts: WELCOME });
  }
  for (const { channel, ts } of made) {
    await agent.pins.add({ channel, timestamp: ts });
    await agent.stars.add({ channel, timestamp: ts });
    for (const client of [robin, agent, john])
      for (const name of ["tada", "eyes", "rocket"])
        await client.reactions.add({ channel, timestamp: ts, name });
  }
  for (const title of ["c", "a", "b"]) {
    await agent.bookmarks.add({
      channel_id: GENERAL,
      title,
      type: "link",
      link: "https://acme.test",
    });
    await agent.reminders.add({ text: title, time: String(Math.floor(Date.now() / 1000) + 9_000) });
    await agent.usergroups.create({ name: title, handle: title });
    await agent.canvases.create({ title, document_content: { type: "markdown", markdown: TEXT } });
    await agent.files.remote.add({ title, external_id: title, external_url: "https://acme.test" });
    await agent.chat.scheduleMessage({
      channel: GENERAL,
      text: title,
      post_at: Math.floor(Date.now() / 1000) + 9_000,
    });
    await agent.files.uploadV2({ channel_id: RANDOM, content: TEXT, filename: `${title}.txt` });
  }
  const { usergroups: groups = [] } = await agent.usergroups.list({});
  for (const { id = "" } of groups)
    await agent.usergroups.users.update({ usergroup: id, users: `${ROBIN},${AGENT},${JOHN}` });
  const list: any = await agent.slackLists.create({ name: "Errands" });
  for (let count = 0; count < 3; count++)
    await agent.slackLists.items.create({ list_id: list.list_id });
  const { items = [] }: any = await agent.slackLists.items.list({ list_id: list.list_id });
  const { files: remote = [] } = await agent.files.remote.list({});
  const { files = [] } = await agent.files.list({});
  const { canvas_id: canvas } = await agent.canvases.create({ title: "Last" });
  const { call }: any = await agent.calls.add({
    external_unique_id: "x",
    join_url: "https://acme.test",
  });
  const { reminders = [] } = await agent.reminders.list({});
  const download: any = await agent.slackLists.download.start({ list_id: list.list_id });
  return {
    usual: {
      channel: GENERAL,
      channel_id: GENERAL,
      channel_ids: GENERAL,
      ts: WELCOME,
      timestamp: made[0]?.ts,
      message_ts: WELCOME,
      user: ROBIN,
      users: [JOHN, BOT, AGENT, GUEST, ROBIN].join(","),
      query: "words",
      usergroup: groups[0]?.id,
      include_users: true,
      list_id: list.list_id,
      id: items[0]?.id,
      file: files[0]?.id,
      email: "john@acme.test",
      full: true,
      count: 50,
      bot: "B06BOT",
      reminder: reminders[0]?.id,
      canvas_id: canvas,
      criteria: { contains_text: "" },
      job_id: download.job_id,
    } as Record<string, unknown>,
    own: {
      "calls.info": { id: call.id },
      "files.remote.info": { external_id: remote[0]?.external_id },
      "conversations.list": { types: "public_channel,private_channel,mpim,im" },
      "users.conversations": { types: "public_channel,private_channel,mpim,im" },
    } as Record<string, object>,
  };
}

/** The second in which the answer was given. */
const CACHE_TIME = /"cache_ts":"?\d+"?/;

/** By method and caller. */
async function answers({ url }: Scene, { usual, own }: Awaited<ReturnType<typeof fill>>) {
  const found: Record<string, string> = {};
  for (const { name, args } of reading)
    for (const caller of [AGENT, JOHN]) {
      const given =
        own[name] ??
        Object.fromEntries(Object.entries(usual).filter(([key]) => key in args.properties));
      const response = await fetch(`${url}/${name}`, {
        method: "POST",
        headers: {
          "Content-Type": "application/json; charset=utf-8",
          Authorization: `Bearer xoxp-${caller}`,
        },
        body: JSON.stringify(given),
      });
      found[`${name} ${caller}`] = (await response.text()).replace(CACHE_TIME, "");
    }
  return found;
}

const LEVEL =
  /^(created_at|joined_at|created|updated|date_create|date_created|date_update|date_updated|time|post_at)$/;

test("no list depends on the order of its rows on disk, even between equals", async () => {
  const scene = await newScene();
  const args = await fill(scene);
  await levelRows(scene.sql, scene.schema, (_table, column) =>
    LEVEL.test(column) ? "2000000000" : undefined,
  );
  const before = await answers(scene, args);
  expect(reading.length).toBeGreaterThan(50);
  const isAnswered = (name: string) =>
    [AGENT, JOHN].some((caller) => before[`${name} ${caller}`]?.startsWith('{"ok":true'));
  expect(reading.map(({ name }) => name).filter((name) => !isAnswered(name))).toEqual([]);

  await reverseRows(scene.sql, scene.schema);

  const after = await answers(scene, args);
  const moved = Object.keys(before).filter((name) => after[name] !== before[name]);
  expect(moved).toEqual([]);
});

/** Lists of one item or none, and answers that are maps or in the requested order. */
const UNORDERED =
  /^(auth\.teams|workflows\.featured|team\.preferences|team\.externalTeams|conversations\.requestSharedInvite)\./;
const ORDER = /(newest|oldest|first)\b|in the order\b|by (the )?(user )?(id|name|time)\b/;

test("the summary of each list states its order", () => {
  const lists = [...METHODS.values()].filter(({ name }) =>
    /\.(list\w*|history|replies|members|conversations|\w+Logs)$/.test(name),
  );
  expect(lists.length).toBeGreaterThan(20);
  const silent = lists.filter(({ name, summary }) => !UNORDERED.test(name) && !ORDER.test(summary));
  expect(silent.map(({ name, summary }) => `${name}: ${summary}`)).toEqual([]);
});
