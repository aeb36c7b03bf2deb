/** Random sequences of calls give the answers, and leave the rows, of a small model. `MODEL_RUNS=200` plays more. */
import { expect, test } from "bun:test";
import fc from "fast-check";
import { pick, playSequences } from "../../support/sequences";
import { type Channel, ChatModel, newMessage, type Person, subtypeOf } from "./model";
import {
  AGENT,
  BOT,
  GENERAL,
  GONE,
  GUEST,
  JOHN,
  RANDOM,
  ROBIN,
  type Scene,
  useScenes,
} from "./scene";

const newScene = useScenes();

const PEOPLE: readonly Person[] = [
  { id: AGENT },
  { id: JOHN, isAdmin: true },
  { id: ROBIN },
  { id: GUEST, isGuest: true },
  { id: BOT, isBot: true },
  { id: GONE, isGone: true },
];
const ACTORS = [AGENT, AGENT, JOHN, JOHN, JOHN, ROBIN, GUEST, BOT];
const NO_CHANNEL = "C0NOCHANNEL";
const NO_TS = "1700000000.000001";
const EMOJI = ["wave", "eyes", "tada"];

const number = fc.nat({ max: 1_000 });
const about = { actor: fc.constantFrom(...ACTORS), channel: number };
const item = { ...about, message: number };
const text = fc.constantFrom("one", "two", "three", "");
const emoji = fc.constantFrom(...EMOJI, "no_such_emoji");
const verb = <T extends object>(weight: number, method: string, values: T) => ({
  weight,
  arbitrary: fc.record({ method: fc.constant(method), ...values } as any) as fc.Arbitrary<Step>,
});
type Step = {
  readonly method: string;
  readonly actor: string;
  readonly channel: number;
  readonly message?: number;
  readonly [argument: string]: unknown;
};

const steps = fc.oneof(
  verb(6, "chat.postMessage", { ...about, text }),
  verb(10, "chat.postMessage", { ...item, text, reply_broadcast: fc.boolean() }),
  verb(4, "chat.update", { ...item, text, reply_broadcast: fc.boolean() }),
  verb(10, "chat.delete", item),
  verb(5, "pins.add", item),
  verb(3, "pins.remove", item),
  verb(6, "reactions.add", { ...item, name: emoji }),
  verb(3, "reactions.remove", { ...item, name: emoji }),
  verb(2, "conversations.create", { ...about, name: number, is_private: fc.boolean() }),
  verb(3, "conversations.join", about),
  verb(2, "conversations.leave", about),
  verb(3, "conversations.invite", {
    ...about,
    users: fc
      .array(fc.constantFrom(...PEOPLE.map(({ id }) => id), "U0NOBODY00"), {
        minLength: 1,
        maxLength: 3,
      })
      .map((users) => users.join(",")),
    force: fc.boolean(),
  }),
  verb(3, "conversations.kick", { ...about, user: fc.constantFrom(...ACTORS, GONE, "U0NOBODY00") }),
  verb(2, "conversations.archive", about),
  verb(2, "conversations.unarchive", about),
  verb(2, "conversations.setTopic", { ...about, topic: fc.constantFrom("", "plans", "news") }),
);

/** The arguments of a step, for the channels and messages that there are. */
function argumentsOf({ channels }: ChatModel, step: Step): Record<string, unknown> {
  const { method, actor: _, channel: place, message: index, ...args } = step;
  if (method === "conversations.create")
    return { ...args, name: `made-${Number(args["name"]) % 4}` };
  // The newest channels have the least messages in them, and are the most often without their members.
  const ids = [...channels.map(({ id }) => id), GENERAL, RANDOM, GENERAL, RANDOM, NO_CHANNEL];
  const channel = pick(ids, place);
  if (index === undefined) return { ...args, channel };
  const messages = channels.find(({ id }) => id === channel)?.messages ?? [];
  // Half of the time one of the latest, so that threads grow and die.
  const stamps = messages.map(({ ts }) => ts);
  const ts = pick([...stamps, ...stamps.slice(-4), ...stamps.slice(-2), NO_TS], index);
  if (method === "chat.postMessage") return { ...args, channel, thread_ts: ts };
  if (/^(pins|reactions)/.test(method)) return { ...args, channel, timestamp: ts };
  return { ...args, channel, ts };
}

async function modelOf({ sql, schema }: Scene): Promise<ChatModel> {
  const rows = await sql.unsafe<any[]>(`
    select c.*, c.topic->>'value' as topic,
      (select array_agg(user_id::text order by joined_at, user_id) from ${schema}.channel_members where channel_id = c.id) as members,
      (select json_agg(m order by ts) from ${schema}.messages m where channel_id = c.id) as messages,
      (select json_agg(r order by created_at) from ${schema}.reactions r where channel_id = c.id) as reactions
    from ${schema}.channels c where not is_im and not is_mpim order by id
  `);
  const channels = rows.map(
    (row): Channel => ({
      ...{ id: row.id, name: row.name, topic: row.topic, members: row.members },
      ...{ isPrivate: row.is_private, isGeneral: row.is_general, isArchived: row.is_archived },
      messages: (row.messages ?? []).map((message: any) => ({
        ...newMessage({ ts: message.ts, user: message.user_id, text: message.text }),
        reactions: (row.reactions ?? [])
          .filter(({ ts }: any) => ts === message.ts)
          .map(({ name, user_id: user }: any) => ({ name, user })),
      })),
    }),
  );
  return new ChatModel(channels, PEOPLE, EMOJI);
}

/** Notices that the service wrote, after everything that the model knows of the channel. */
const noticesIn = async ({ sql, schema }: Scene, { id, messages }: Channel) => {
  const latest =
    messages
      .map(({ ts }) => ts)
      .toSorted()
      .at(-1) ?? "";
  return await sql.unsafe<{ ts: string; subtype: string; user: string; text: string }[]>(
    `select ts, subtype, user_id as user, text from ${schema}.messages where channel_id = $1 and ts > $2 order by ts`,
    [id, latest],
  );
};

/** Compared with the model's at the end. */
async function rowsIn({ sql, schema }: Scene) {
  const list = async (columns: string, table: string) =>
    (await sql.unsafe(`select ${columns} from ${schema}.${table}`)).map((row) =>
      Object.values(row).join(" | "),
    );
  return {
    channels: await list("id, name, is_private, is_archived, topic->>'value' as topic", "channels"),
    members: await list("channel_id, user_id", "channel_members"),
    messages: await list(
      "channel_id, ts, thread_ts, subtype, user_id, text, edited->>'user' as editor",
      "messages",
    ),
    reactions: await list("channel_id, ts, name, user_id", "reactions"),
    pins: await list("channel_id, ts, created_by", "pins"),
  };
}

function rowsOf({ channels }: ChatModel): Awaited<ReturnType<typeof rowsIn>> {
  const line = (...values: unknown[]) => values.join(" | ");
  const all = channels.flatMap((channel) =>
    channel.messages.map((m) => ({ ...m, channel: channel.id })),
  );
  return {
    channels: channels.map((c) => line(c.id, c.name, c.isPrivate, c.isArchived, c.topic)),
    members: channels.flatMap(({ id, members }) => members.map((user) => line(id, user))),
    messages: all.map((m) => line(m.channel, m.ts, m.thread, m.subtype, m.user, m.text, m.editor)),
    reactions: all.flatMap((m) => m.reactions.map((r) => line(m.channel, m.ts, r.name, r.user))),
    pins: all.flatMap((m) => (m.pinnedBy === null ? [] : [line(m.channel, m.ts, m.pinnedBy)])),
  };
}

/** The history of a channel as a member reads it, newest first. */
function historyOf({ id, messages }: Channel) {
  const shown = messages.filter(
    ({ thread, subtype }) => thread === null || subtype === "thread_broadcast",
  );
  return shown
    .toSorted((a, b) => (a.ts < b.ts ? 1 : -1))
    .map(({ ts, text, user, reactions, pinnedBy }) => {
      const replies = messages.filter(({ thread }) => thread === ts);
      const names = [...new Set(reactions.map(({ name }) => name))];
      return {
        ...{ ts, text, user },
        ...(replies.length > 0 && {
          reply_count: replies.length,
          latest_reply: replies
            .map((reply) => reply.ts)
            .toSorted()
            .at(-1),
          reply_users_count: new Set(replies.map((reply) => reply.user)).size,
        }),
        ...(pinnedBy !== null && { pinned_to: [id] }),
        ...(names.length > 0 && {
          reactions: names.map((name) => {
            const users = reactions.filter((one) => one.name === name).map((one) => one.user);
            return { name, users, count: users.length };
          }),
        }),
      };
    });
}

const SHOWN = [
  ...["ts", "text", "user", "reply_count", "latest_reply", "reply_users_count"],
  ...["pinned_to", "reactions"],
];
const shown = (message: any) =>
  Object.fromEntries(SHOWN.filter((name) => name in message).map((name) => [name, message[name]]));

const sorted = <T extends Record<string, string[]>>(rows: T) =>
  Object.fromEntries(Object.entries(rows).map(([name, lines]) => [name, lines.toSorted()]));

test("a sequence of calls has the answers and the rows of the model", async () => {
  const seen = new Set<string>();

  await playSequences(steps, async (sequence) => {
    const scene = await newScene();
    const model = await modelOf(scene);
    const log: string[] = [];
    try {
      for (const step of sequence) {
        const { method, actor } = step;
        const args = argumentsOf(model, step);
        const answer: any = await scene
          .as(actor)
          .apiCall(method, args)
          .catch((error) => error.data);
        const told = answer.ok ? "ok" : String(answer.error);
        log.push(`${actor} ${method} ${JSON.stringify(args)}: ${told}`);
        seen.add(`${method} ${told}`);
        const outcome = model.call(method, actor, args);
        expect(told).toBe(typeof outcome === "string" ? outcome : "ok");
        if (typeof outcome === "string") continue;
        outcome.done?.(answer);
        const channel = model.channels.find(({ id }) => id === args["channel"]);
        if (!channel || !method.startsWith("conversations.")) continue;
        const written = await noticesIn(scene, channel);
        expect(written.map(({ ts: _, ...notice }) => notice)).toEqual(
          (outcome.notices ?? []).map((notice) => ({
            subtype: subtypeOf(channel, notice),
            user: notice.user,
            text: notice.text,
          })),
        );
        for (const { subtype, ...notice } of written)
          channel.messages.push({ ...newMessage(notice), subtype });
      }
      expect(sorted(await rowsIn(scene))).toEqual(sorted(rowsOf(model)));
      for (const channel of model.channels) {
        const reader = channel.members.find((id) => id !== BOT);
        if (reader === undefined) continue;
        const { messages = [] } = await scene
          .as(reader)
          .conversations.history({ channel: channel.id, limit: 999 });
        expect(messages.map(shown)).toEqual(historyOf(channel));
      }
    } catch (error) {
      throw new Error(`${log.join("\n")}\n${String(error)}`, { cause: error });
    }
  });

  // Enough of the rules were reached.
  expect(seen.size).toBeGreaterThan(60);
}, 600_000);
