/** The feed of events: on which server and in which way of capturing something happens makes no difference to it. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { connect, type Pool } from "~/db/connect";
import { currentPosition, isReached } from "~/db/positions";
import { createLog } from "~/log";
import { createMetrics } from "~/metrics";
import { CALLS_MAX, OBJECTS_MAX } from "~/platform/feed/events";
import { createFeed, READERS_PER_USER_MAX } from "~/platform/feed/feed";
import { append } from "~/platform/journal/store";
import { createKey } from "~/platform/keys/keys";
import { streamOf } from "~/wire/stream";
import { waysOfCapturing } from "../../support/clusters";
import { eventually, useDatabase } from "../../support/database";
import { listen, readEvents } from "../../support/events";
import { expectStatus, type TestProgram, useProgram } from "../../support/program";
import { APP, connectApp, openAddress } from "../../support/socket-mode";

const EVENTS = "/api/platform/events";
const post = (text: string) => ({ channel: "C01GENERAL", text });
const start = async (program: TestProgram, envId: string, headers = {}) => {
  const started = await program.post("/startRun", { envId }, headers);
  expectStatus(started, 201);
  return started.body.runId as string;
};
const readers = async (program: TestProgram) =>
  /^diorama_feed_readers (\d+)$/m.exec(await (await fetch(`${program.url}/metrics`)).text())?.[1];

describe.each(await waysOfCapturing())("with $name", ({ cluster, settings }) => {
  const database = useDatabase({ cluster });
  const here = useProgram(database, settings);
  const there = useProgram(database, settings);

  test("a stream shows what happens on any server: environments, runs and calls", async () => {
    const stream = await listen(here.url + EVENTS);
    await stream.until((events) => expect(events[0]?.event).toBe("open"));
    expect(stream.events[0]?.data).toEqual({ resumed: false });

    const { token: _, clock: __, ...environment } = await there.environment();
    await stream.until(() => expect(stream.of("environment")).toHaveLength(1));
    const runId = await start(there, environment.environmentId);
    await stream.until(() => expect(stream.of("run")).toHaveLength(1));
    await there.chat(environment, "chat.postMessage", post("one"));
    await there.chat(environment, "chat.postMessage", { channel: "C0NONE", text: "nowhere" });
    await here.chat(environment, "conversations.history", { channel: "C01GENERAL" });
    await stream.until(() => expect(stream.of("call")).toHaveLength(3));
    await here.post("/diffRun", { runId });
    await stream.until(() => expect(stream.of("run").at(-1).status).toBe("completed"));
    await there.call("DELETE", `/env/${environment.environmentId}`);
    await stream.until(() => expect(stream.of("environment").at(-1).status).toBe("deleted"));

    expect(stream.of("environment")[0]).toEqual({
      ...environment,
      status: "active",
      createdAt: expect.any(String),
      impersonateUserId: "U01AGENTONE",
    });
    expect(stream.of("run")[0]).toMatchObject({
      runId,
      environmentId: environment.environmentId,
      status: "running",
    });
    const listed = await here.get(`/runs?environmentId=${environment.environmentId}`);
    expect(stream.of("run").at(-1)).toEqual(listed.body.runs[0]);
    const { calls } = (await here.get(`/runs/${runId}/calls`)).body;
    const shown = calls.map(({ n, changes, arguments: _arguments, ...call }: any) => call);
    const received = stream.of("call").map(({ id, runId, environmentId, ...call }) => call);
    const inOrder = (a: any, b: any) => (a.at < b.at ? -1 : 1);
    expect(received.toSorted(inOrder)).toEqual(shown.toSorted(inOrder));
    const { environmentId } = environment;
    for (const call of stream.of("call")) expect(call).toMatchObject({ runId, environmentId });
    await stream.close();
  });

  test("a stream shows deliveries of events, and each of their states", async () => {
    const environment = await there.environment();
    const { environmentId, environmentUrl, token } = environment;
    const apps = [{ app: APP, events: ["message.channels"] }];
    expectStatus(await there.call("PUT", `/env/${environmentId}/events`, { apps }), 200);
    const stream = await listen(`${here.url}${EVENTS}?environmentId=${environmentId}`);
    await stream.until((events) => expect(events).toHaveLength(1));

    await there.chat(environment, "chat.postMessage", post("one"));
    expectStatus(await there.get(`/env/${environmentId}/deliveries`), 200); // derives events
    const delivery = {
      ...{ environmentId, n: 1, service: "chat", type: "message.channels", app: APP },
      failed: null,
    };
    const waits = { ...delivery, state: "pending", attempts: 0 };
    await stream.until(() => expect(stream.of("delivery")).toEqual([waits]));
    const { url } = await openAddress(there.url, environmentUrl, `xapp-1-${APP}-${token}`);
    const client = connectApp(url);
    await client.has(1);
    const is = { ...delivery, state: "delivered", attempts: 1 };
    await stream.until(() => expect(stream.of("delivery").at(-1)).toEqual(is));
    client.socket.close();
    await stream.close();
  });

  test("a stream continues after the last event, and misses nothing", async () => {
    const environment = await here.environment();
    const runId = await start(here, environment.environmentId);
    let stream = await listen(here.url + EVENTS);
    await stream.until((events) => expect(events).toHaveLength(1));
    const seen: string[] = [];

    for (let round = 0; round < 4; round++) {
      for (let n = 0; n < 5; n++)
        await (n % 2 ? here : there).chat(environment, "chat.postMessage", post(`${round} ${n}`));
      await Bun.sleep(round * 120);
      await stream.close();
      seen.push(...stream.of("call").map(({ id }) => id));
      const lastId = stream.lastId();
      stream = await listen((round % 2 ? here : there).url + EVENTS, { "Last-Event-ID": lastId });
    }
    await here.post("/diffRun", { runId });
    await stream.until(() => expect(stream.of("run").at(-1)?.status).toBe("completed"));
    await eventually(() => {
      const all = new Set([...seen, ...stream.of("call").map(({ id }) => id)]);
      expect(all.size).toBe(20);
    });

    expect(stream.events[0]?.data).toEqual({ resumed: true });
    await stream.close();
  });
});

describe("a stream", () => {
  const database = useDatabase();
  const program = useProgram(database);
  const keys: Record<string, { key: string; keyId: string }> = {};
  let pool: Pool;
  beforeAll(async () => {
    pool = connect(database.url, { max: 4, name: "test", camel: true });
    for (const userId of ["alice", "bob"])
      keys[userId] = await createKey(pool, {
        userId,
        name: "",
        plan: "enterprise",
        expiresInDays: null,
      });
  });
  afterAll(async () => await pool.end());
  const as = (user: string) => ({ "X-API-Key": keys[user]!.key });
  const log = createLog({ level: "error", format: "json" });
  const developer = async () => {
    const environment = await program.environment();
    return { environment, runId: await start(program, environment.environmentId) };
  };
  const lines = (from: number, count: number) =>
    JSON.stringify(
      Array.from({ length: count }, (_, n) => ({
        id: `call${from + n}`,
        at: 1_700_000_000_000,
        name: "x".repeat(200),
      })),
    );

  test("has only events of its own user", async () => {
    const [alice, bob] = [
      await listen(program.url + EVENTS, as("alice")),
      await listen(program.url + EVENTS, as("bob")),
    ];
    const environment = await program.environment({}, as("alice"));
    await start(program, environment.environmentId, as("alice"));
    await program.chat(environment, "auth.test");
    await program.environment({}, as("bob"));

    await alice.until(() => expect(alice.of("run")).toHaveLength(1));
    await bob.until(() => expect(bob.of("environment")).toHaveLength(1));

    expect(JSON.stringify(bob.events)).not.toContain(environment.environmentId);
    expect(alice.of("environment")).toHaveLength(1);
    await Promise.all([alice.close(), bob.close()]);
  });

  test("of one environment has only its events", async () => {
    const { environmentId } = await program.environment();
    const stream = await listen(`${program.url + EVENTS}?environmentId=${environmentId}`);
    await program.environment();
    await start(program, environmentId);

    await stream.until(() => expect(stream.of("run")).toHaveLength(1));

    expect(stream.of("environment")).toEqual([]);
    await stream.close();
  });

  test("shows that an environment was extended and reset", async () => {
    const { environmentId, expiresAt } = await program.environment();
    const stream = await listen(`${program.url + EVENTS}?environmentId=${environmentId}`);

    await program.call("PATCH", `/env/${environmentId}`, { ttlSeconds: 86_400 });
    await stream.until(() => expect(stream.of("environment")).toHaveLength(1));
    await program.post(`/env/${environmentId}/reset`, {});
    await stream.until(() => expect(stream.of("environment")).toHaveLength(2));

    expect(stream.of("environment")[0].expiresAt > expiresAt).toBe(true);
    await stream.close();
  });

  test("has each call once, also of a transaction that commits late", async () => {
    const { runId } = await developer();
    const stream = await listen(program.url + EVENTS);
    const batch = (n: number) => [{ runId, lines: lines(n, 1), lineCount: 1, dropped: 0 }];
    const ids = () => stream.of("call").map(({ id }) => id);
    const { promise: mayCommit, resolve: commit } = Promise.withResolvers<void>();
    const { promise: written, resolve: write } = Promise.withResolvers<void>();

    const late = pool.begin(async (tx) => {
      await append(tx, batch(1));
      write();
      await mayCommit;
    });
    await written;
    await append(pool, batch(2));
    await stream.until(() => expect(ids()).toEqual(["call2"]));
    await append(pool, batch(3));
    await stream.until(() => expect(ids()).toEqual(["call2", "call3"]));
    commit();
    await late;

    await stream.until(() => expect(ids()).toEqual(["call2", "call3", "call1"]));
    await stream.close();
  });

  test("that is too far behind gets a reset, and continues from there", async () => {
    const { runId } = await developer();
    const before = await currentPosition(pool);
    const count = CALLS_MAX + 1;
    await append(pool, [{ runId, lines: lines(0, count), lineCount: count, dropped: 0 }]);

    const stream = await listen(program.url + EVENTS, { "Last-Event-ID": before });
    await stream.until(() => expect(stream.of("reset")).toEqual([{}]));
    await append(pool, [{ runId, lines: lines(count, 1), lineCount: 1, dropped: 0 }]);
    await stream.until(() => expect(stream.of("call")).toHaveLength(1));

    expect(stream.events.map(({ event }) => event)).toEqual(["open", "reset", "call"]);
    await stream.close();
  });

  test("has what began first, then calls, then what is over; its position only after all", async () => {
    const before = await currentPosition(pool);
    const { environment, runId } = await developer();
    await append(pool, [{ runId, lines: lines(0, 2), lineCount: 2, dropped: 0 }]);
    const old = await developer();
    await append(pool, [{ runId: old.runId, lines: lines(2, 1), lineCount: 1, dropped: 0 }]);
    await program.post("/diffRun", { runId: old.runId });
    await program.call("DELETE", `/env/${old.environment.environmentId}`);

    const stream = await listen(program.url + EVENTS, { "Last-Event-ID": before });
    await stream.until(() => expect(stream.of("environment")).toHaveLength(2));

    const [, ...events] = stream.events;
    const named = ({ event, data }: (typeof events)[number]) =>
      `${event} ${data.status ?? data.id}`;
    expect(events.map(named)).toEqual([
      "environment active",
      "run running",
      ...["call call0", "call call1", "call call2"],
      "run completed",
      "environment deleted",
    ]);
    expect(events[0]?.data.environmentId).toBe(environment.environmentId);
    expect(events.map(({ id }) => id !== undefined)).toEqual([...Array(6).fill(false), true]);
    await stream.close();
  });

  test.each([
    ["environment", "as many as it shows", OBJECTS_MAX, []],
    ["environment", "one more", OBJECTS_MAX + 1, [{}]],
    ["run", "as many as it shows", OBJECTS_MAX, []],
    ["run", "one more", OBJECTS_MAX + 1, [{}]],
  ] as [string, string, number, object[]][])(
    "of each changed %s, %s",
    async (kind, _what, count, resets) => {
      const { environmentId } = await program.environment({}, as("bob"));
      if (kind === "run") await start(program, environmentId, as("bob"));
      const before = await currentPosition(pool);
      if (kind === "run")
        await pool`
          insert into diorama.runs (run_id, environment_id, schema_name, user_id, before_snapshot, capture, status)
          select 'many' || n, environment_id, schema_name, user_id, before_snapshot, capture, 'completed'
          from diorama.runs, generate_series(1, ${count}::int) n where environment_id = ${environmentId}`;
      else
        await pool`
          insert into diorama.environments (environment_id, user_id, key_id, service, template_name, schema_name,
            acting_user_id, token_hash, expires_at, deleted_at)
          select gen_random_uuid(), user_id, key_id, service, template_name, schema_name,
            acting_user_id, sha256(n::text::bytea), expires_at, now()
          from diorama.environments, generate_series(1, ${count}::int) n where environment_id = ${environmentId}`;

      const stream = await listen(program.url + EVENTS, { ...as("bob"), "Last-Event-ID": before });
      await stream.until(() => expect(stream.events.length).toBeGreaterThan(1));

      expect(stream.of("reset")).toEqual(resets);
      const shown = resets.length > 0 ? 0 : count;
      await stream.until(() => expect(stream.of(kind)).toHaveLength(shown));
      await stream.close();
      await pool`delete from diorama.runs where run_id like 'many%'`;
      await pool`
        delete from diorama.environments
        where environment_id <> ${environmentId} and schema_name in (
          select schema_name from diorama.environments where environment_id = ${environmentId}
        )`;
    },
  );

  test.each([
    ["nonsense"],
    ["9:3:"],
    ["1:99999999999999999999:"],
    ["18000000000000000000:18000000000000000000:"],
  ])("after the unknown event %s begins anew", async (id) => {
    expect(await isReached(pool, id)).toBe(false);
    const stream = await listen(program.url + EVENTS, { "Last-Event-ID": id });
    await stream.until((events) => expect(events[0]?.data).toEqual({ resumed: false }));
    await stream.close();
  });

  test("whose reader takes nothing is not read for, and goes on when it does", async () => {
    const { runId } = await developer();
    const feed = createFeed({ pool, log, metrics: createMetrics() });
    const [row] = await pool<{ userId: string }[]>`
      select user_id from diorama.runs where run_id = ${runId}
    `;
    const response = await feed.open(
      row!.userId,
      { lastEventId: undefined, environmentId: undefined },
      async () => undefined,
    );
    const before = process.memoryUsage().rss;
    for (let n = 0; n < 40; n++) {
      await append(pool, [{ runId, lines: lines(n * 500, 500), lineCount: 500, dropped: 0 }]);
      await Bun.sleep(25);
    }
    await Bun.sleep(600);
    expect(process.memoryUsage().rss - before).toBeLessThan(64 * 1024 * 1024);

    const { events, ended } = readEvents(streamOf(response)!);
    await eventually(() => {
      const calls = events.filter(({ event }) => event === "call").map(({ data }) => data.id);
      const resets = events.filter(({ event }) => event === "reset");
      // Of 20,000 calls, it gets those that were read before it was full; the rest is more than one look takes.
      expect(new Set(calls).size).toBe(calls.length);
      expect(calls.length).toBeGreaterThan(0);
      expect(calls.length).toBeLessThan(CALLS_MAX);
      expect(resets).toHaveLength(1);
    });
    feed.stop();
    await ended;
  });

  test("sends no statement before the first reader and after the last one, whatever happens", async () => {
    const { environment } = await developer();
    let statements = 0;
    const counting = new Proxy(pool, {
      apply(target, self, args) {
        statements++;
        return Reflect.apply(target, self, args);
      },
    });
    const feed = createFeed({ pool: counting, log, metrics: createMetrics() });
    const during = async (ms: number) => {
      const before = statements;
      for (let waited = 0; waited < ms; waited += 100) {
        await program.chat(environment, "chat.postMessage", post("News"));
        await Bun.sleep(100);
      }
      return statements - before;
    };
    expect(await during(600)).toBe(0);

    const wanted = { lastEventId: undefined, environmentId: undefined };
    const response = await feed.open("alice", wanted, async () => undefined);
    await eventually(async () => expect(await during(300)).toBeGreaterThan(0));
    await streamOf(response)!.cancel();
    await during(600); // a look may have begun
    expect(await during(600)).toBe(0);
    feed.stop();
  });

  test("counts: one more than allowed is rejected, and the place of a closed one is free", async () => {
    const streams = await Promise.all(
      Array.from({ length: READERS_PER_USER_MAX }, () => listen(program.url + EVENTS, as("bob"))),
    );
    const rejected = await fetch(program.url + EVENTS, { headers: as("bob") });
    expect(rejected.status).toBe(429);
    expect(await rejected.json()).toEqual({
      valid: false,
      reason: "event stream limit reached",
      limit: READERS_PER_USER_MAX,
      current: READERS_PER_USER_MAX,
    });
    expect(rejected.headers.get("retry-after")).toBe("10");

    await streams[0]?.close();
    await eventually(async () => (await listen(program.url + EVENTS, as("bob"))).close());
    await Promise.all(streams.map((stream) => stream.close()));
    await eventually(async () => expect(await readers(program)).toBe("0"));
  });

  test("of a HEAD request is not kept", async () => {
    const { status, headers } = await fetch(program.url + EVENTS, { method: "HEAD" });
    expect([status, headers.get("content-type")]).toEqual([
      200,
      "text/event-stream; charset=utf-8",
    ]);
    await eventually(async () => expect(await readers(program)).toBe("0"));
  });

  test("ends when its key is revoked", async () => {
    const feed = createFeed({ pool, log, metrics: createMetrics(), beatMs: 50 });
    const { NotAuthed } = await import("~/errors");
    let isValid = true;
    const response = await feed.open(
      "alice",
      { lastEventId: undefined, environmentId: undefined },
      async () => {
        if (!isValid) throw new NotAuthed("expired");
      },
    );
    const { events, ended } = readEvents(streamOf(response)!);
    await Bun.sleep(200);
    expect(await Promise.race([ended.then(() => "ended"), "open"])).toBe("open");

    isValid = false;
    await ended;

    expect(events).toHaveLength(1);
    feed.stop();
  });
});

test("a server that stops ends its streams", async () => {
  const { startTestProgram } = await import("../../support/program");
  const { createDatabase, dropDatabase } = await import("../../support/database");
  const { startClusters } = await import("../../support/clusters");
  const [cluster] = await startClusters();
  const database = await createDatabase(cluster!);
  const program = await startTestProgram(database);
  const stream = await listen(program.url + EVENTS);
  const began = performance.now();

  await program.program.stop();
  await stream.ended;

  expect(performance.now() - began).toBeLessThan(5_000);
  await dropDatabase(database);
});
