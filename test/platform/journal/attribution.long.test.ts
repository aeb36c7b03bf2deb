/**
 * Several writers on two servers that are killed at random: each change of the run belongs to exactly one call, and the
 * journal has every call that was answered.
 */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import fc from "fast-check";
import { startClusters } from "../../support/clusters";
import { eventually, useDatabase } from "../../support/database";
import { type ServerProcess, startProcess } from "../../support/process";

const clusters = await startClusters();
const plugins = clusters.flatMap((cluster) =>
  cluster.plugins.map((plugin) => ({ cluster, plugin, name: `${plugin} on ${cluster.name}` })),
);
const ROUNDS = Number(process.env["JOURNAL_ROUNDS"] ?? 2);
/**
 * A server may lose the reads that it answered this long before it was killed: it appends them every 100 ms, but on a busy
 * machine that takes its time.
 */
const READS_LOST_MS = 2_000;

type Kind = "post" | "create" | "edit" | "rejected" | "read";
/** A call that was answered. */
type Answered = {
  readonly request: string;
  readonly isRead: boolean;
  readonly server: number;
  readonly at: number;
};

describe.each(plugins)("with $name", ({ cluster, plugin }) => {
  const database = useDatabase({ cluster });
  const servers: ServerProcess[] = [];
  const settings = { CAPTURE_PLUGIN: plugin };

  beforeAll(async () => {
    for (const _ of [0, 1]) servers.push(await startProcess(database, settings));
  });
  afterAll(async () => {
    for (const server of servers) server.kill("SIGTERM");
    await Promise.all(servers.map(({ exited }) => exited));
  });

  /** Repeats a call until a server answers it with something other than 503. */
  async function ask(method: string, path: string, body?: object): Promise<any> {
    return await eventually(async () => {
      const answer = await servers[0]!.call(method, path, body);
      if (answer.status >= 300) throw new Error(JSON.stringify(answer.body));
      return answer.body;
    }, 60);
  }

  /** One call. Returns its answer; undefined if the server died before it answered. */
  async function call(environment: any, server: number, kind: Kind, request: string) {
    const [method, args] = {
      post: ["chat.postMessage", { channel: "C01GENERAL", text: request }],
      create: ["conversations.create", { name: request }],
      edit: ["users.profile.set", { profile: { title: request } }],
      rejected: ["chat.postMessage", { channel: "C0NONE", text: request }],
      read: ["conversations.history", { channel: "C01GENERAL", limit: 1 }],
    }[kind] as [string, object];
    const response = await fetch(`${servers[server]!.url}${environment.environmentUrl}/${method}`, {
      method: "POST",
      headers: { "Content-Type": "application/json; charset=utf-8", "X-Request-Id": request },
      body: JSON.stringify(args),
    }).catch(() => undefined);
    return (await response?.json().catch(() => undefined)) as { ok: boolean } | undefined;
  }

  const step = fc.record({
    kind: fc.constantFrom<Kind>("post", "post", "create", "edit", "rejected", "read"),
    server: fc.constantFrom(0, 1),
  });
  const workload = fc.record({
    writers: fc.array(fc.array(step, { minLength: 15, maxLength: 30 }), {
      minLength: 3,
      maxLength: 5,
    }),
    /** Which servers are killed, and after how many answers. */
    kills: fc.array(
      fc.record({ server: fc.constantFrom(0, 1), after: fc.integer({ min: 1, max: 25 }) }),
      { minLength: 1, maxLength: 2 },
    ),
  });

  test("each change belongs to exactly one call, and every answered call is listed", async () => {
    await fc.assert(
      fc.asyncProperty(workload, async ({ writers, kills }) => {
        const environment = await ask("POST", "/initEnv", {
          templateService: "chat",
          templateName: "chat_default",
          impersonateUserId: "U01AGENTONE",
        });
        const { runId } = await ask("POST", "/startRun", { envId: environment.environmentId });
        const answered: Answered[] = [];
        const killedAt: { server: number; at: number }[] = [];
        let over = false;

        const killer = (async () => {
          let seen = 0;
          for (const { server, after } of kills) {
            seen = answered.length + after;
            while (answered.length < seen && !over) await Bun.sleep(1);
            killedAt.push({ server, at: performance.now() });
            servers[server]!.kill("SIGKILL");
            await servers[server]!.exited;
            servers[server] = await startProcess(database, settings);
          }
        })();
        await Promise.all(
          writers.map(async (steps, writer) => {
            for (const [index, { kind, server }] of steps.entries()) {
              const request = `w${writer}-${index}`;
              const answer = await call(environment, server, kind, request);
              const at = performance.now();
              if (answer)
                answered.push({ request, isRead: kind === "read" || !answer.ok, server, at });
            }
          }),
        );
        over = true;
        await killer;

        await servers[0]!.call("POST", "/diffRun", { runId }).catch(() => undefined);
        await eventually(async () => {
          const { status } = await ask("GET", `/results/${runId}`);
          expect(status).toBe("completed");
        }, 60);
        const { attribution, complete, calls } = await ask(
          "GET",
          `/runs/${runId}/calls?limit=1000`,
        );
        const { total, events } = await ask("GET", `/runs/${runId}/events`);

        expect({ attribution, complete }).toEqual({ attribution: "exact", complete: true });
        const numbers = calls.flatMap(({ changes }: any) => changes);
        expect(numbers.toSorted((a: number, b: number) => a - b)).toEqual(
          Array.from({ length: total }, (_, index) => index + 1),
        );
        for (const { changes, request } of calls)
          for (const n of changes) expect(events[n - 1].request).toBe(request);
        expect(calls.map(({ n }: any) => n)).toEqual(calls.map((_: unknown, i: number) => i + 1));
        const listed = calls.map(({ request }: any) => request);
        expect(new Set(listed).size).toBe(listed.length);
        const mayBeLost = ({ isRead, server, at }: Answered) =>
          isRead &&
          killedAt.some((kill) => kill.server === server && Math.abs(kill.at - at) < READS_LOST_MS);
        const missing = answered.filter((each) => !listed.includes(each.request));
        expect(missing.filter((each) => !mayBeLost(each))).toEqual([]);
        await ask("DELETE", `/env/${environment.environmentId}`);
      }),
      { numRuns: ROUNDS, endOnFailure: true },
    );
  }, 300_000);

  test("a call whose server dies before it is appended is listed from the log, until its line arrives", async () => {
    const environment = await ask("POST", "/initEnv", {
      templateService: "chat",
      templateName: "chat_default",
      impersonateUserId: "U01AGENTONE",
    });
    const { runId } = await ask("POST", "/startRun", { envId: environment.environmentId });
    // A lock is not enough: Postgres executes a statement that waits for it even after its client has died.
    await database.sql.unsafe(`
      create function public.refuse() returns trigger language plpgsql as $$ begin raise exception 'refused'; end $$;
      create trigger refuse before insert on diorama.calls execute function public.refuse()
    `);
    expect(await call(environment, 1, "post", "lost")).toMatchObject({ ok: true });
    expect(await call(environment, 1, "read", "lost too")).toMatchObject({ ok: true });
    servers[1]!.kill("SIGKILL");
    await servers[1]!.exited;
    servers[1] = await startProcess(database, settings);
    await database.sql.unsafe("drop function public.refuse() cascade");
    await ask("POST", "/diffRun", { runId });
    const known = {
      n: 1,
      service: "chat",
      via: "rest",
      name: "chat.postMessage",
      arguments: { channel: "C01GENERAL", text: "lost" },
      request: "lost",
      changes: [1],
    };

    const { calls } = await ask("GET", `/runs/${runId}/calls`);
    expect(calls).toEqual([
      {
        ...known,
        at: expect.any(String),
        ...{ ms: null, status: null, error: null, fault: null, trace: null },
      },
    ]);

    await database.sql`
      insert into diorama.calls (run_id, lines, line_count)
      select run_id, json_build_array((lines->0)::jsonb || '{"ms": 5, "status": 200}'), 1
      from diorama.calls where run_id = ${runId}
    `;
    const late = await ask("GET", `/runs/${runId}/calls`);
    expect(late.calls).toMatchObject([{ ...known, ms: 5, status: 200 }]);
  });
});
