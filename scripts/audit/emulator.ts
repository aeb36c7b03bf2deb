/**
 * The emulator of the npm package `emulate` with the world of a chat template, as far as its methods can set it up, under
 * the ids of that template. It has no log and no database: its lists are all there is to judge by.
 */
import { join } from "node:path";
import { emulatorIsMissing } from "../bench/emulator";
import { freePort } from "../postgres";
import { each } from "./each";
import type { Answer, Call, JsonObject, Surface, Tables } from "./model";
import { textOf } from "./model";
import { rows } from "./moves";
import { translate } from "./perform";
import { bodyOf } from "./surface";

const ROOT = join(import.meta.dir, "../..");
const AT_A_TIME = 4;

/** In a process of Node: each line of its input is a seed, for which it starts the emulator afresh. */
const PROGRAM = `
  import { createEmulator } from "emulate";
  import { createInterface } from "node:readline";
  const port = Number(process.argv[1]);
  let emulator;
  for await (const seed of createInterface({ input: process.stdin })) {
    await emulator?.close();
    emulator = await createEmulator({ service: "slack", port, seed: JSON.parse(seed) });
    console.log("ready");
  }
`;

/** A process that runs one emulator at a time. */
export type Host = {
  readonly url: string;
  readonly fresh: (seed: object) => Promise<void>;
  /** Kills the process with SIGKILL, and starts another one. */
  readonly kill: () => Promise<void>;
  readonly stop: () => Promise<void>;
};

export async function startHost(): Promise<Host> {
  const missing = emulatorIsMissing();
  if (missing !== undefined) throw new Error(missing);
  const port = await freePort();
  const spawn = () => {
    const child = Bun.spawn(["node", "--input-type=module", "--eval", PROGRAM, "--", `${port}`], {
      cwd: ROOT,
      stdin: "pipe",
      stdout: "pipe",
      stderr: "ignore",
    });
    return { child, output: child.stdout.getReader() };
  };
  let current = spawn();
  return {
    url: `http://127.0.0.1:${port}/api`,
    async fresh(seed) {
      current.child.stdin.write(`${JSON.stringify(seed)}\n`);
      await current.child.stdin.flush();
      const { done } = await current.output.read();
      if (done) throw new Error("the emulator ended");
    },
    async kill() {
      current.child.kill("SIGKILL");
      await current.child.exited;
      current = spawn();
    },
    async stop() {
      current.child.kill();
      await current.child.exited;
    },
  };
}

const isPerson = ({ id }: JsonObject) => id !== "USLACKBOT";
const tokenOf = (user: string) => `xoxp-${user}`;

/** Ids of the template and of the emulator; a message of the template is named with its channel. */
type Ids = { readonly there: Map<string, string>; readonly here: Map<string, string> };

/** Starts an empty emulator and sets up the world. Calls in terms of the template's ids. */
export async function emulate(host: Host, world: Tables, agent: string): Promise<Surface> {
  const users = rows(world, "users").filter(isPerson);
  await host.fresh({
    slack: {
      users: users.map(({ name, real_name }) => ({ name, real_name })),
      tokens: users.map(({ id, name }) => ({ token: tokenOf(textOf(id)), user: name })),
    },
  });
  const ids: Ids = { there: new Map(), here: new Map() };
  const surface = surfaceOf(host, ids, agent);
  const listed = await must(surface, { name: "users.list", arguments: { limit: "1000" } });
  for (const user of users) {
    const found = listed.body.members.find(
      (member: { name: string }) => member.name === user["name"],
    );
    know(ids, textOf(user["id"]), found.id);
  }
  await setUp(surface, ids, world);
  return surface;
}

function know({ there, here }: Ids, ours: string, theirs: string): void {
  there.set(ours, theirs);
  here.set(theirs, ours.split(" ").at(-1) ?? ours);
}

const TIMES = ["ts", "timestamp", "thread_ts"];

function surfaceOf(host: Host, ids: Ids, agent: string): Surface {
  return {
    service: "chat",
    async call({ name, arguments: given }: Call, as = agent): Promise<Answer> {
      const { text, ...rest } = given;
      const named = Object.fromEntries(
        Object.entries(rest).map(([field, value]) => {
          const time = ids.there.get(`${given["channel"]} ${value}`);
          if (TIMES.includes(field) && time !== undefined) return [field, time];
          return [
            field,
            typeof value === "string"
              ? value
                  .split(",")
                  .map((id) => ids.there.get(id) ?? id)
                  .join(",")
              : value,
          ];
        }),
      );
      // The emulator's clock is the machine's.
      if ("post_at" in named) named["post_at"] = `${Math.floor(Date.now() / 1000) + 3_600}`;
      const response = await fetch(`${host.url}/${name}`, {
        method: "POST",
        headers: {
          Authorization: `Bearer ${tokenOf(as)}`,
          "Content-Type": "application/json; charset=utf-8",
        },
        body: JSON.stringify({ ...named, ...(text === undefined ? {} : { text }) }),
      });
      const body = translate(await bodyOf(response), ids.here);
      return { ok: response.ok && body.ok === true, body };
    },
  };
}

async function must(surface: Surface, call: Call, as?: string): Promise<Answer> {
  const answer = await surface.call(call, as);
  if (!answer.ok) throw new Error(`the emulator, ${call.name}: ${JSON.stringify(answer.body)}`);
  return answer;
}

/** Channels, members, messages, reactions, pins and bookmarks. What the service says by itself is left to it. */
async function setUp(surface: Surface, ids: Ids, world: Tables): Promise<void> {
  await each(rows(world, "channels"), AT_A_TIME, (channel) =>
    addChannel(surface, ids, world, channel),
  );
}

async function addChannel(
  surface: Surface,
  ids: Ids,
  world: Tables,
  channel: JsonObject,
): Promise<void> {
  const id = textOf(channel["id"]);
  const { name = null, is_private: isPrivate = false, topic, purpose } = channel;
  const of = (table: string) => rows(world, table).filter((row) => row["channel_id"] === id);
  const members = of("channel_members").map((row) => textOf(row["user_id"]));
  const call = (method: string, args: JsonObject, as?: string) =>
    must(surface, { name: method, arguments: args }, as);
  const [first = "", ...others] = members;
  if (channel["is_im"] || channel["is_mpim"]) {
    const { body } = await call("conversations.open", { users: others.join(",") }, first);
    know(ids, id, body.channel.id);
  } else {
    await addNamed({ name, isPrivate });
    for (const [method, field, value] of [
      ["conversations.setTopic", "topic", topic],
      ["conversations.setPurpose", "purpose", purpose],
    ] as const) {
      const text = (value as JsonObject)["value"];
      if (text) await call(method, { channel: id, [field]: text }, first);
    }
  }
  const messages = of("messages").filter(
    ({ subtype, user_id }) =>
      (subtype === null || subtype === "thread_broadcast") && user_id !== "USLACKBOT",
  );
  for (const { ts, thread_ts, user_id, text, subtype } of messages.toSorted((a, b) =>
    textOf(a["ts"]) < textOf(b["ts"]) ? -1 : 1,
  )) {
    if (text === "") continue;
    const reply = thread_ts ? { thread_ts, ...(subtype && { reply_broadcast: true }) } : {};
    const { ok, body } = await surface.call(
      { name: "chat.postMessage", arguments: { channel: id, text: text ?? null, ...reply } },
      textOf(user_id),
    );
    // A former member's message in a private channel cannot be posted any more.
    if (ok) know(ids, `${id} ${ts}`, body.ts);
  }
  for (const { ts = null, name: emoji = null, user_id } of of("reactions"))
    if (ids.there.has(`${id} ${ts}`))
      await call("reactions.add", { channel: id, timestamp: ts, name: emoji }, textOf(user_id));
  for (const { ts = null, created_by } of of("pins"))
    if (ids.there.has(`${id} ${ts}`))
      await call("pins.add", { channel: id, timestamp: ts }, textOf(created_by));
  if (channel["is_archived"]) await call("conversations.archive", { channel: id }, first);

  async function addNamed(named: {
    name: JsonObject[string];
    isPrivate: JsonObject[string];
  }): Promise<void> {
    const made = await surface.call(
      {
        name: "conversations.create",
        arguments: { name: named.name, is_private: named.isPrivate },
      },
      first,
    );
    if (made.ok) know(ids, id, made.body.channel.id);
    else {
      // Its own channels #general and #random are there from the start.
      const { body } = await call("conversations.list", { limit: "1000" });
      know(ids, id, body.channels.find((one: { name: string }) => one.name === named.name).id);
      await call("conversations.join", { channel: id }, first);
    }
    if (named.isPrivate) {
      if (others.length > 0)
        await call("conversations.invite", { channel: id, users: others.join(",") }, first);
    } else for (const member of others) await call("conversations.join", { channel: id }, member);
  }
}
