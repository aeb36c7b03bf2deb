/** The events of runs: listed, kept when the environment is gone, and counted by assertions. */
import { afterEach, describe, expect, test } from "bun:test";
import { deliveriesOf as selected } from "~/platform/events/listing-store";
import { eventually, useDatabase } from "../../support/database";
import { expectRefusal, expectStatus, useProgram } from "../../support/program";
import { APP, connectApp, openAddress } from "../../support/socket-mode";

const database = useDatabase();
const program = useProgram(database);
const OTHER = "A01AGENTTWO";
const HOME = { type: "app_home_opened", event: { user: "U02JOHNADOE", tab: "home" } };

type Environment = {
  readonly environmentId: string;
  readonly environmentUrl: string;
  readonly token: string;
};

const open: WebSocket[] = [];
afterEach(() => {
  for (const socket of open.splice(0)) socket.close();
});

async function withApps(...events: string[]): Promise<Environment> {
  const environment = await program.environment();
  const apps = [
    { app: APP, events },
    { app: OTHER, events: ["app_home_opened"] },
  ];
  const path = `/env/${environment.environmentId}/events`;
  expectStatus(await program.call("PUT", path, { apps }), 200);
  return environment;
}

async function connect({ environmentUrl, token }: Environment) {
  const { url } = await openAddress(program.url, environmentUrl, `xapp-1-${APP}-${token}`);
  const app = connectApp(url);
  open.push(app.socket);
  await app.greeted();
  return app;
}

const post = (environment: Environment, text: string) =>
  program.chat(environment, "chat.postMessage", { channel: "C01GENERAL", text });
const raise = ({ environmentId }: Environment) =>
  program.post(`/env/${environmentId}/events`, HOME);
const start = async ({ environmentId: envId }: Environment, fields: object = {}) =>
  (await program.post("/startRun", { envId, ...fields })).body.runId;
const end = async (runId: string) => expectStatus(await program.post("/diffRun", { runId }), 200);
const deliveriesOf = async (runId: string, query = "") =>
  (await program.get(`/runs/${runId}/deliveries${query}`)).body;
const typesOf = ({ events }: any) =>
  events.map(({ type, payload }: any) => [type, payload.event.text ?? null]);

describe("the events of a run", () => {
  test("are those between its start and its end", async () => {
    const environment = await withApps("message.channels", "app_home_opened");
    await post(environment, "before");
    await raise(environment);
    const first = await start(environment);
    await raise(environment);
    await post(environment, "within");
    await raise(environment);
    expect(typesOf(await deliveriesOf(first))).toEqual([
      ["app_home_opened", null],
      ["message.channels", "within"],
      ["app_home_opened", null],
    ]);
    await end(first);
    await raise(environment);
    await post(environment, "between");
    const second = await start(environment);
    await post(environment, "again");
    await end(second);

    expect(typesOf(await deliveriesOf(first))).toHaveLength(3);
    expect(typesOf(await deliveriesOf(second))).toEqual([["message.channels", "again"]]);
  });

  test("outlive the environment, as they were at the run's end", async () => {
    const environment = await withApps("message.channels");
    const app = await connect(environment);
    const runId = await start(environment);
    await post(environment, "hello");
    await app.has(1);
    await end(runId);
    expectStatus(
      await program.post(`/env/${environment.environmentId}/deliveries/1/repeat`, {}),
      200,
    );
    await app.has(2);
    const path = `/env/${environment.environmentId}`;
    expectStatus(await program.call("DELETE", path), 200);
    await program.program.maintenance.cycle();

    const kept = await deliveriesOf(runId);

    expect(kept).toMatchObject({ runId, complete: true, next: null });
    const [event] = kept.events;
    expect(event).toMatchObject({
      ...{ n: 1, service: "chat", type: "message.channels" },
      cause: { by: "call" },
      payload: { event: { text: "hello" } },
      deliveries: [{ app: APP, state: "delivered" }],
      missed: [{ app: OTHER, reason: "not subscribed" }],
    });
    expect(event.deliveries[0].attempts).toHaveLength(1);
  });

  test("are kept of a run that ends with its environment", async () => {
    const environment = await withApps("message.channels");
    const runId = await start(environment);
    await post(environment, "hello");
    await deliveriesOf(runId); // derives them
    expectStatus(await program.call("DELETE", `/env/${environment.environmentId}`), 200);
    await eventually(async () =>
      expect(typesOf(await deliveriesOf(runId))).toEqual([["message.channels", "hello"]]),
    );
  });

  test("are kept later if the server that ended the run could not", async () => {
    const environment = await withApps("message.channels");
    const runId = await start(environment);
    await post(environment, "hello");
    await end(runId);
    const [ended] = await database.sql<object[]>`
      with gone as (delete from diorama.run_events where run_id = ${runId} returning number)
      update diorama.runs set events_kept = null, ended_at = ended_at - interval '1 minute'
      where run_id = ${runId} and exists (select from gone) returning run_id
    `;
    expect(ended).toBeDefined();
    expectStatus(await program.call("DELETE", `/env/${environment.environmentId}`), 200);

    await program.program.maintenance.cycle();

    const kept = await database.sql`select type from diorama.run_events where run_id = ${runId}`;
    expect([...kept]).toEqual([{ type: "message.channels" }]);
  });

  test("are kept later although those of another run cannot be", async () => {
    const { sql } = database;
    const stuck = await withApps("message.channels");
    const other = await withApps("message.channels");
    const runs: string[] = [];
    for (const environment of [stuck, other]) {
      const runId = await start(environment);
      await post(environment, "hello");
      await end(runId);
      runs.push(runId);
    }
    await sql`
      update diorama.runs set events_kept = null, ended_at = ended_at - interval '1 minute'
      where run_id = any(${runs})
    `;
    const [first = "", second = ""] = runs;
    await sql`delete from diorama.run_events where run_id = ${second}`; // those of the first are in the way

    await program.program.maintenance.cycle();

    const kept = await sql`
      select run_id, events_kept from diorama.runs where run_id = any(${runs}) order by run_id = ${second}
    `;
    expect([...kept]).toEqual([
      { run_id: first, events_kept: null },
      { run_id: second, events_kept: "whole" },
    ]);
    await sql`update diorama.runs set events_kept = 'whole' where run_id = ${first}`;
  });

  test("are read app by app: an index has the number of an event after its app", async () => {
    const { sql } = database;
    const plan = await sql.begin(async (tx) => {
      await tx`set local enable_seqscan = off`;
      return await tx`
        explain (costs off) select ${selected(tx)} as deliveries from diorama.events e
      `;
    });
    const conditions = plan
      .map((line) => String(line["QUERY PLAN"]))
      .filter((line) => /Index Cond.*number/.test(line));
    expect(conditions).toHaveLength(1);
    expect(conditions[0]).toContain("app_id");
  });

  test("have the acknowledgements that are just being noted", async () => {
    const environment = await withApps("message.channels");
    const app = await connect(environment);
    const runId = await start(environment);
    await post(environment, "hello");
    await app.has(1);
    const ending = await database.sql.begin(async (tx) => {
      await tx`
        select from diorama.deliveries where environment_id = ${environment.environmentId} for update
      `;
      await eventually(async () => {
        const [waiting] = await tx`select count(*)::int from pg_locks where not granted`;
        expect(waiting?.["count"]).toBeGreaterThan(0);
      });
      const ended = end(runId);
      await Promise.race([ended, Bun.sleep(500)]);
      return { ended };
    });
    await ending.ended;
    const { events } = await deliveriesOf(runId);
    expect(events[0].deliveries).toMatchObject([{ app: APP, state: "delivered" }]);
  });

  test("are whole in a run that follows a reset in which changes had no events yet", async () => {
    const { sql } = database;
    const environment = await withApps("message.channels");
    const { environmentId } = environment;
    const before = await start(environment);
    await sql.begin(async (tx) => {
      await tx`
        select from diorama.event_logs where environment_id = ${environmentId} for no key update
      `;
      await post(environment, "early");
      await Bun.sleep(200); // the derivation passes over a log that is locked
    });
    expectStatus(await program.post(`/env/${environmentId}/reset`, {}), 200);
    const [log] = await sql`
      select lost > 0 as is_lost from diorama.event_logs where environment_id = ${environmentId}
    `;
    const after = await start(environment);
    await post(environment, "hello");
    await end(after);
    expect((await deliveriesOf(before)).complete).toBe(log?.["is_lost"] === false);
    expect(await deliveriesOf(after)).toMatchObject({ complete: true, events: [{}] });
  });

  test("are too many for one run, and not for the next", async () => {
    const environment = await withApps("message.channels");
    const { environmentId } = environment;
    const full = await start(environment);
    await post(environment, "one");
    await deliveriesOf(full); // derives it
    await database.sql`
      update diorama.event_logs set full_at = change where environment_id = ${environmentId}
    `;
    const counts = { assertions: [{ diff_type: "delivered", entity: "message.channels" }] };
    const ended = await program.post("/evaluateRun", { runId: full, expectedOutput: counts });
    expect(ended.body).toMatchObject({ status: "failed", cause: "agent_limit" });
    expect(await deliveriesOf(full)).toMatchObject({ complete: false });

    const next = await start(environment);
    await post(environment, "two");
    await end(next);
    const kept = await database.sql`
      select events_kept as kept from diorama.runs where run_id in (${full}, ${next}) order by started_at
    `;
    expect(kept.map((row) => row["kept"])).toEqual(["limited", "lost"]);
  });

  test("are given up after an hour", async () => {
    const environment = await withApps("message.channels");
    const runId = await start(environment);
    await end(runId);
    await database.sql`
      update diorama.runs set events_kept = null, ended_at = ended_at - interval '2 hours', changes_to = null,
        environment_id = 'gone' where run_id = ${runId}
    `;
    await program.program.maintenance.cycle();
    expect((await deliveriesOf(runId)).complete).toBe(false);
  });

  test("are counted in its results, once it has ended", async () => {
    const environment = await withApps("message.channels");
    const resultsOf = async (runId: string) => {
      const one = await program.get(`/results/${runId}`);
      expect((await program.get(`/runs/${runId}`)).body).toEqual(one.body);
      return one.body;
    };
    const app = await connect(environment);
    await post(environment, "before");
    const runId = await start(environment);
    await post(environment, "hello");
    await post(environment, "goodbye");
    await app.has(3);
    await raise(environment);
    expect(await resultsOf(runId)).not.toHaveProperty("deliveries");
    await end(runId);
    const empty = await start(environment);
    await end(empty);
    const lost = await start(environment);
    await end(lost);
    await database.sql`update diorama.runs set events_kept = 'lost' where run_id = ${lost}`;

    expect((await resultsOf(runId)).deliveries).toEqual([
      { type: "app_home_opened", state: "missed", count: 1 },
      { type: "app_home_opened", state: "pending", count: 1 },
      { type: "message.channels", state: "delivered", count: 2 },
      { type: "message.channels", state: "missed", count: 2 },
    ]);
    expect((await resultsOf(runId)).actedByHand).toBe(1);
    expect((await resultsOf(empty)).deliveries).toEqual([]);
    expect(await resultsOf(lost)).not.toHaveProperty("deliveries");
  });

  test("come in pages", async () => {
    const environment = await withApps("message.channels");
    const runId = await start(environment);
    for (const text of ["a", "b", "c"]) await post(environment, text);
    await end(runId);
    const page = await deliveriesOf(runId, "?limit=2");
    expect(typesOf(page).map(([, text]: string[]) => text)).toEqual(["a", "b"]);
    const rest = await deliveriesOf(runId, `?limit=2&after=${page.next}`);
    expect(typesOf(rest).map(([, text]: string[]) => text)).toEqual(["c"]);
    expect(rest.next).toBeNull();
  });

  test("are none without apps", async () => {
    const runId = await start(await program.environment());
    expect(await deliveriesOf(runId)).toEqual({ runId, complete: true, events: [], next: null });
    await end(runId);
    expect(await deliveriesOf(runId)).toEqual({ runId, complete: true, events: [], next: null });
    expect((await program.get(`/results/${runId}`)).body).not.toHaveProperty("deliveries");
  });
});

describe("an assertion on deliveries", () => {
  const evaluate = (runId: string, ...assertions: object[]) =>
    program.post("/evaluateRun", { runId, expectedOutput: { assertions } });
  const delivered = (fields: object) => ({
    diff_type: "delivered",
    entity: "message.*",
    ...fields,
  });

  test("counts an event for each app", async () => {
    const environment = await withApps("message.channels");
    const app = await connect(environment);
    const runId = await start(environment);
    await post(environment, "hello");
    await post(environment, "goodbye");
    await app.has(2);

    const { body } = await evaluate(
      runId,
      delivered({
        where: { app: APP, state: "delivered", attempts: 1, ack_ms: { lt: 60_000 }, cause: "call" },
        expected_count: 2,
      }),
      delivered({ where: { "payload.event.text": "hello", app: APP }, expected_count: 1 }),
      delivered({ where: { state: "missed", reason: "not subscribed" }, expected_count: 2 }),
      { diff_type: "delivered", entity: "app_mention", expected_count: 0 },
    );

    expect(body).toMatchObject({ status: "passed", failures: [] });
  });

  test("counts acts of people, which no app subscribes to", async () => {
    const environment = await withApps("message.channels");
    const runId = await start(environment);
    const command = { type: "command", user: "U02JOHNADOE", channel: "C01GENERAL" };
    const shortcut = { type: "shortcut", user: "U02JOHNADOE", callback_id: "c" };
    for (const act of [command, shortcut])
      expectStatus(
        await program.post(`/env/${environment.environmentId}/events`, {
          act: { ...act, app: APP, ...(act === command && { command: "/deploy" }) },
        }),
        200,
      );
    const counted = (entity: string) => ({
      ...{ diff_type: "delivered", entity },
      ...{ where: { app: APP, cause: "hand" }, expected_count: 1 },
    });
    const { body } = await evaluate(
      runId,
      counted("slash_commands"),
      counted("interactive.*"),
      counted("interactive.shortcut"),
    );
    expect(body).toMatchObject({ status: "passed", failures: [] });
  });

  test("names the nearest deliveries", async () => {
    const environment = await withApps("message.channels");
    const runId = await start(environment);
    await post(environment, "hello");
    const { body } = await evaluate(runId, delivered({ where: { app: APP, state: "delivered" } }));
    expect(body).toMatchObject({
      status: "failed",
      failures: ["assertion#1 message.* expected count at least 1 but got 0"],
      explanations: [
        {
          summary: "too few deliveries made of message.* are as expected",
          nearest: [
            {
              key: { n: 1, type: "message.channels", app: APP },
              failed: ['state eq "delivered": it is "pending"'],
            },
            { key: { app: OTHER } },
          ],
        },
      ],
    });
    const reasons = (await program.get(`/runs/${runId}/reasons`)).body;
    expect(reasons.assertions[0]).toMatchObject({
      expected:
        "At least one delivery of message.* whose app is “A01AGENTONE”, whose state is “delivered”",
      nearest: [
        { words: `event 1, message.channels, for ${APP}: pending`, event: null },
        { event: null },
      ],
    });
  });

  test("is checked again when the environment is gone", async () => {
    const environment = await withApps("message.channels");
    const runId = await start(environment);
    await post(environment, "hello");
    await end(runId);
    expectStatus(await program.call("DELETE", `/env/${environment.environmentId}`), 200);
    const expectedOutput = { assertions: [delivered({ where: { app: APP }, expected_count: 1 })] };
    const { body } = await program.post(`/runs/${runId}/evaluate`, { expectedOutput });
    expect(body).toMatchObject({ status: "passed" });
  });

  test("needs apps", async () => {
    const runId = await start(await program.environment());
    const answer = await evaluate(runId, delivered({}));
    expectRefusal(answer, 400, "invalid_request");
    expect(answer.body.detail).toContain("had no apps");
  });

  test("names a type that exists, and fields of deliveries", async () => {
    const runId = await start(await withApps("message.channels"));
    const wrong = await evaluate(runId, { diff_type: "delivered", entity: "message.chanels" });
    expectRefusal(wrong, 400, "invalid_assertion");
    expect(wrong.body.detail).toContain("message.channels");
    expectRefusal(
      await evaluate(runId, delivered({ where: { text: "x" } })),
      400,
      "invalid_assertion",
    );
    expectRefusal(await evaluate(runId, delivered({ actor: "clock" })), 400, "invalid_assertion");
  });
});
