/**
 * Kills of servers between the commit of a call, what it sets off, and its answer: each message of the agent gets exactly
 * one reply, and the diff of the run has the messages as the agent's and the replies as the counterpart's.
 * `COUNTERPART_KILLS=100` kills more.
 */
import { expect, test } from "bun:test";
import { eventually, useDatabase } from "../../support/database";
import { type ServerProcess, startProcess, useServers } from "../../support/process";
import { expectStatus } from "../../support/program";

const KILLS = Number(process.env["COUNTERPART_KILLS"] ?? 6);
const SETTINGS = { ENVIRONMENT_POOL_TARGETS: "chat_default:1" };
const SECONDS = 60;
const CHANNEL = "C01GENERAL";

const database = useDatabase();
const servers = useServers(database, SETTINGS);

type Environment = { environmentId: string; environmentUrl: string; schemaName: string };

/** Posts until a server answers: a killed one may have committed the message before. */
async function post(environment: Environment, text: string): Promise<void> {
  await eventually(async () => {
    const server = servers[Math.random() < 0.5 ? 0 : 1]!;
    const { ok } = await server.chat(environment, "chat.postMessage", { channel: CHANNEL, text });
    if (!ok) throw new Error("not posted");
  }, SECONDS);
}

test(
  "kills lose no action, and repeat none",
  async () => {
    const counterparts = [
      {
        ...{ name: "john-replies", as: "U02JOHNADOE", times: 1_000 },
        when: { diff_type: "added", entity: "messages", where: { thread_ts: null } },
        say: { text: "Seen.", thread_ts: { $trigger: "ts" } },
      },
    ];
    const fields = { ttlSeconds: 86_400, counterparts };
    const environment: Environment = await servers[0]!.environment(fields);
    const started = await servers[0]!.post("/startRun", { envId: environment.environmentId });
    expectStatus(started, 201);
    let count = 0;
    for (let kill = 0; kill < KILLS; kill++) {
      const place = kill % 2;
      const posting = [0, 1].map(async () => {
        for (let n = 0; n < 8; n++) await post(environment, `message ${count++}`);
      });
      await Bun.sleep(Math.random() * 200);
      servers[place]!.kill("SIGKILL");
      await servers[place]!.exited;
      servers[place] = await startProcess(database, SETTINGS);
      await Promise.all(posting);
    }
    await post(environment, "the last message"); // What a killed call has set off is done ahead of it.
    const { body } = await servers[0]!.post("/diffRun", {
      runId: started.body.runId,
      include: ["counterpart"],
    });

    const rows = await database.sql.unsafe<{ replies: number }[]>(
      `select count(r.ts)::int as replies from ${environment.schemaName}.messages m
       left join ${environment.schemaName}.messages r on r.channel_id = m.channel_id and r.thread_ts = m.ts and r.ts <> m.ts
       where m.text like '%message%' and m.thread_ts is null group by m.ts`,
    );
    expect(rows.length).toBeGreaterThan(count);
    expect(rows.map(({ replies }) => replies)).toEqual(rows.map(() => 1));
    const messages = body.diff.inserts.filter(({ __table__ }: any) => __table__ === "messages");
    const by = (actor: string | undefined) =>
      messages.filter(({ __actor__ }: any) => __actor__ === actor);
    expect(by(undefined)).toHaveLength(rows.length);
    expect(by(undefined).filter(({ text }: any) => text === "Seen.")).toEqual([]);
    expect(by("counterpart")).toHaveLength(rows.length);
  },
  KILLS * 60_000 + 120_000,
);

test("servers that serve one environment together do each action once", async () => {
  const [first, second] = servers as [ServerProcess, ServerProcess];
  const counterparts = [
    {
      ...{ name: "john-replies", as: "U02JOHNADOE", times: 1_000 },
      when: { diff_type: "added", entity: "messages" },
      say: { text: "Seen.", thread_ts: { $trigger: "ts" } },
    },
  ];
  const environment: Environment = await first.environment({ counterparts });
  const posted = await Promise.all(
    Array.from({ length: 20 }, async (_, n) => {
      const server = n % 2 === 0 ? first : second;
      const answer = { channel: CHANNEL, text: `message ${n}` };
      return await server.chat(environment, "chat.postMessage", answer);
    }),
  );
  for (const [n, { ok, ts }] of posted.entries()) {
    const server = n % 2 === 0 ? second : first;
    const { messages } = await server.chat(environment, "conversations.replies", {
      ...{ channel: CHANNEL, ts },
    });
    expect([ok, messages.map(({ text }: any) => text)]).toEqual([true, [`message ${n}`, "Seen."]]);
  }
});

test(
  "kills lose no action that waits for the clock, and repeat none",
  async () => {
    const counterparts = [
      {
        ...{ name: "john-replies", as: "U02JOHNADOE", times: 1_000, after: "PT0.4S" },
        when: { diff_type: "added", entity: "messages", where: { thread_ts: null } },
        say: { text: "Seen.", thread_ts: { $trigger: "ts" } },
      },
    ];
    const fields = { ttlSeconds: 86_400, counterparts, clock: "real" };
    const environment: Environment = await servers[0]!.environment(fields);
    const started = await servers[0]!.post("/startRun", { envId: environment.environmentId });
    expectStatus(started, 201);
    let count = 0;
    for (let kill = 0; kill < KILLS; kill++) {
      const place = kill % 2;
      // In turn, so that servers also do what is due while no call comes.
      for (let n = 0; n < 4; n++) await post(environment, `message ${count++}`);
      await Bun.sleep(Math.random() * 1_200);
      servers[place]!.kill("SIGKILL");
      await servers[place]!.exited;
      servers[place] = await startProcess(database, SETTINGS);
    }
    const repliesOf = async () => {
      const rows = await database.sql.unsafe<{ replies: number }[]>(
        `select count(r.ts)::int as replies from ${environment.schemaName}.messages m
         left join ${environment.schemaName}.messages r on r.channel_id = m.channel_id and r.thread_ts = m.ts and r.ts <> m.ts
         where m.text like 'message %' and m.thread_ts is null group by m.ts`,
      );
      return rows.map(({ replies }) => replies);
    };
    await eventually(async () => {
      if ((await repliesOf()).includes(0)) throw new Error("not all are done");
    }, SECONDS);
    const { body } = await servers[0]!.post("/diffRun", {
      runId: started.body.runId,
      include: ["counterpart"],
    });

    const replies = await repliesOf();
    expect(replies.length).toBeGreaterThanOrEqual(count);
    expect(replies).toEqual(replies.map(() => 1));
    const seen = body.diff.inserts.filter(({ text }: any) => text === "Seen.");
    expect(seen.map(({ __actor__ }: any) => __actor__)).toEqual(replies.map(() => "counterpart"));
    const shown = await servers[0]!.get(`/env/${environment.environmentId}/counterparts`);
    expect(shown.body).toMatchObject({ counterparts: [{ fired: replies.length }], pending: [] });
  },
  KILLS * 60_000 + 120_000,
);

test(
  "kills lose no call that was answered, and let none set off a rule twice",
  async () => {
    const counterparts = [
      {
        ...{ name: "john-repeats", as: "U02JOHNADOE", times: 1_000 },
        when: { diff_type: "called", entity: "users.info" }, // which changes nothing
        call: {
          method: "chat.postMessage",
          arguments: { channel: CHANNEL, text: { $trigger: "arguments.user" } },
        },
      },
    ];
    const environment: Environment = await servers[0]!.environment({
      ...{ ttlSeconds: 86_400, counterparts },
    });
    let count = 0;
    const answered: string[] = [];
    /** Asks until a server answers, each time for somebody else. */
    const ask = () =>
      eventually(async () => {
        const user = `nobody ${count++}`;
        const server = servers[Math.random() < 0.5 ? 0 : 1]!;
        const { error } = await server.chat(environment, "users.info", { user });
        if (error !== "user_not_found") throw new Error("not answered");
        answered.push(user);
      }, SECONDS);
    for (let kill = 0; kill < KILLS; kill++) {
      const place = kill % 2;
      const asking = [0, 1].map(async () => {
        for (let n = 0; n < 8; n++) await ask();
      });
      await Bun.sleep(Math.random() * 200);
      servers[place]!.kill("SIGKILL");
      await servers[place]!.exited;
      servers[place] = await startProcess(database, SETTINGS);
      await Promise.all(asking);
    }
    await ask(); // What a killed call has set off is done ahead of it.
    const rows = await database.sql.unsafe<{ text: string }[]>(
      `select text from ${environment.schemaName}.messages where text like 'nobody %'`,
    );
    const repeated = rows.map(({ text }) => text);
    expect(new Set(repeated).size).toBe(repeated.length);
    expect(answered.filter((user) => !repeated.includes(user))).toEqual([]);
  },
  KILLS * 60_000 + 120_000,
);
