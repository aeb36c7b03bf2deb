/** The changes that are noted for events are those of the log: all of them, in the same order, with their calls. */
import { describe, expect, test } from "bun:test";
import { METHODS } from "~/replicas/chat/api/index";
import { chat } from "~/replicas/chat/index";
import { argumentsOf } from "../../support/chat-calls";
import { eventually, useSharedDatabase } from "../../support/database";
import { expectRefusal, expectStatus, useProgram } from "../../support/program";
import { useNoted } from "./noted";

const database = useSharedDatabase();
const program = useProgram(database);

const BOT = "A01AGENTONE";
const TABLES: ReadonlySet<string> = new Set(chat.events?.tables);
const apps = [{ app: BOT, events: ["message.channels", "app_mention"] }];
const say = { channel: "C01GENERAL", text: "hello" };

async function put({ environmentId }: { environmentId: string }, body: object = { apps }) {
  const answer = await program.call("PUT", `/env/${environmentId}/events`, body);
  expectStatus(answer, 200);
  return answer.body;
}

const { notedIn, keep, expectAsLogged, inRun } = useNoted(database, program, TABLES);

describe("what is noted is what the log has", () => {
  test("after a call of every method", async () => {
    const environment = await program.environment({ impersonateUserId: "U02JOHNADOE" });
    await put(environment);
    const { runId, noted } = await inRun(environment, async () => {
      for (const method of METHODS.values())
        await program.chat(environment, method.name, argumentsOf(method));
    });

    expect(await expectAsLogged(noted, runId)).toBeGreaterThan(10);
  });

  test("of calls at the same time", async () => {
    const environment = await program.environment();
    await put(environment);
    const { runId, noted } = await inRun(environment, () =>
      Promise.all(
        Array.from({ length: 40 }, (_, n) =>
          n % 4 === 0
            ? program.chat(environment, "conversations.create", { name: `made-${n}` })
            : program.chat(environment, "chat.postMessage", { ...say, text: `${n}` }),
        ),
      ),
    );

    expect(await expectAsLogged(noted, runId)).toBeGreaterThan(40);
  });

  test("and a move of the clock names the clock", async () => {
    const environment = await program.environment({ clock: { now: "2026-03-11T09:00:00Z" } });
    await put(environment);
    const release = await keep(environment);
    const post_at = Date.parse("2026-03-11T12:00:00Z") / 1000;
    await program.chat(environment, "chat.scheduleMessage", { ...say, post_at });
    const moved = await program.post(`/env/${environment.environmentId}/clock`, { advance: "P1D" });
    expectStatus(moved, 200);

    const posted = (await notedIn(environment)).filter(({ table }) => table === "messages");
    expect(posted.map(({ cause }) => cause)).toEqual([
      { clock: true, micros: post_at * 1_000_000 },
    ] as never);
    await release();
  });
});

test("an environment without apps has no triggers, and one that loses its apps notes no more", async () => {
  const environment = await program.environment();
  const triggers = async () => {
    const rows = await database.sql`
      select from pg_trigger join pg_class c on c.oid = tgrelid
      where relnamespace = ${environment.schemaName}::text::regnamespace
    `;
    return rows.length;
  };
  expect(await triggers()).toBe(0);
  await put(environment);
  expect(await triggers()).toBe(TABLES.size);
  const release = await keep(environment);
  await program.chat(environment, "chat.postMessage", say);
  expect(await notedIn(environment)).not.toHaveLength(0);
  await release();
  await put(environment, { apps: [] });
  expect(await triggers()).toBe(0);
  await program.chat(environment, "chat.postMessage", say);
  expect(await notedIn(environment)).toHaveLength(0);
});

describe("initEnv takes apps", () => {
  test("and returns their tokens", async () => {
    const environment = await program.environment({
      events: { apps },
      tokenStyle: "xoxb",
      count: 2,
    });
    for (const each of environment.environments) {
      const plain = each.token.replace("xoxb-", "");
      const { body } = await program.get(`/env/${each.environmentId}/events`);
      const [{ signingSecret }] = body.apps;
      const token = `xapp-1-${BOT}-${plain}`;
      expect(signingSecret).toMatch(/^[0-9a-f]{32}$/);
      expect(each.apps).toEqual([
        { app: BOT, service: "chat", userId: "U01AGENTONE", token, signingSecret },
      ]);
      const release = await keep(each);
      await program.chat(each, "chat.postMessage", say);
      expect(await notedIn(each)).toHaveLength(1);
      await release();
      await program.call("DELETE", `/env/${each.environmentId}`);
    }
  });

  test("with the users that the template has for them", async () => {
    const environment = await program.environment({
      ...{ templateService: "chat", templateName: "chat_bench_default" },
      impersonateUserId: "U01AGENTONE",
      events: { apps: [{ app: "A25PAGERBOT", events: ["message.channels"] }] },
    });
    expect(environment.apps[0].userId).toMatch(/^U25/);
  });

  test("and rejects those that it cannot have", async () => {
    const answer = await program.post("/initEnv", {
      ...{
        templateService: "chat",
        templateName: "chat_default",
        impersonateUserId: "U01AGENTONE",
      },
      events: { apps: [{ app: BOT, events: ["message.channel"] }] },
    });
    expectRefusal(
      answer,
      ...([400, "invalid_request"] as const),
      expect.stringContaining("events.apps[0].events") as never,
    );
  });
});

test("a rejected call, and one that is rolled back, leave nothing", async () => {
  const environment = await program.environment();
  await put(environment);
  await program.chat(environment, "chat.postMessage", { ...say, channel: "C0NOTHING" });
  await program.chat(environment, "chat.update", { ...say, ts: "1700000000.000001" });
  expect(await notedIn(environment)).toHaveLength(0);
});

test("an app changes no answer of an environment with a seed and a clock in steps", async () => {
  const clock = { mode: "step", now: "2026-03-11T09:00:00Z", stepMs: 1_000 };
  const made = [];
  for (const has of [true, false]) {
    const environment = await program.environment({ clock, seed: 7 });
    if (has) await put(environment);
    const answers = [];
    for (const name of ["one", "two", "three"]) {
      answers.push((await program.chat(environment, "conversations.create", { name })).channel.id);
      answers.push((await program.chat(environment, "chat.postMessage", say)).ts);
      await Bun.sleep(50); // its events are derived meanwhile
      if (has) await program.get(`/env/${environment.environmentId}/deliveries`);
    }
    made.push(answers);
  }
  expect(made[0]).toEqual(made[1]);
});

test("a reset begins anew", async () => {
  const environment = await program.environment();
  const path = `/env/${environment.environmentId}`;
  await put(environment);
  await program.chat(environment, "chat.postMessage", say);
  expectStatus(await program.post(`${path}/reset`, {}), 200);
  const release = await keep(environment);
  await program.chat(environment, "chat.postMessage", { ...say, text: "again" });

  const noted = await notedIn(environment);
  expect(noted.map(({ after }) => after?.["text"])).toEqual(["again"]);
  await release();
});

test("the end of an environment is the end of its events", async () => {
  const environment = await program.environment({ events: { apps } });
  const { environmentId } = environment;
  await program.chat(environment, "chat.postMessage", say);
  await program.get(`/env/${environmentId}/deliveries`);
  expectStatus(await program.call("DELETE", `/env/${environmentId}`), 200);
  await eventually(async () => {
    const [row] = await database.sql<{ count: number }[]>`
      select (select count(*) from diorama.outboxes where environment_id = ${environmentId})::int
        + (select count(*) from diorama.deliveries where environment_id = ${environmentId})::int as count
    `;
    expect(row?.count).toBe(0);
  });
});

test("forks have the apps of their parent", async () => {
  const environment = await program.environment();
  const { apps: given } = await put(environment);
  const forked = await program.post(`/env/${environment.environmentId}/fork`, { count: 2 });
  expectStatus(forked, 200);
  for (const fork of forked.body.environments) {
    const { body } = await program.get(`/env/${fork.environmentId}/events`);
    expect(body.apps).toEqual([{ ...given[0], signingSecret: expect.any(String) }]);
    expect(body.apps[0].signingSecret).not.toBe(given[0].signingSecret);
    const release = await keep(fork);
    await program.chat(fork, "chat.postMessage", say);
    expect(await notedIn(fork)).toHaveLength(1);
    await release();
    await program.call("DELETE", `/env/${fork.environmentId}`);
  }
  expect(await notedIn(environment)).toHaveLength(0);
});

describe("is rejected with what there is", () => {
  const refuse = async (body: object, status: number, error: string, detail: string) => {
    const { environmentId } = await program.environment();
    const answer = await program.call("PUT", `/env/${environmentId}/events`, body);
    expectRefusal(answer, status, error, expect.stringContaining(detail) as never);
  };

  test("an app whose id is none", () =>
    refuse({ apps: [{ app: "bot", events: [] }] }, 400, "invalid_request", "apps[0].app"));

  test("a user that the service does not have", () =>
    refuse(
      { apps: [{ app: BOT, userId: "U0NOBODY00", events: [] }] },
      ...[400, "invalid_request", '"U0NOBODY00"'],
    ));

  test("an event that the service does not have", () =>
    refuse(
      { apps: [{ app: BOT, events: ["message.channel"] }] },
      ...[400, "invalid_request", '"message.channels"'],
    ));

  test("an app that is given twice", () =>
    refuse({ apps: [...apps, ...apps] }, 400, "invalid_request", "apps[1].app"));

  test("a service that has no events", () =>
    refuse(
      { apps: [{ app: BOT, service: "tracker", events: [] }] },
      ...[400, "invalid_service", "apps[0].service"],
    ));

  test("the first apps in the middle of a run", async () => {
    const environment = await program.environment();
    await inRun(environment, async () => {
      const path = `/env/${environment.environmentId}/events`;
      const answer = await program.call("PUT", path, { apps });
      expectRefusal(answer, 400, "invalid_request", expect.stringContaining("active run") as never);
    });
  });
});

test("changes that are large together, however well they are compressed, are derived in parts", async () => {
  const environment = await program.environment();
  await put(environment);
  const { ts } = await program.chat(environment, "chat.postMessage", say);
  const deliveries = `/env/${environment.environmentId}/deliveries`;
  await program.get(deliveries);
  const release = await keep(environment);
  for (let at = 0; at < 200; at++) {
    const change = { ...say, ts, text: `${at}${"x".repeat(39_000)}` };
    expect(await program.chat(environment, "chat.update", change)).toMatchObject({ ok: true });
  }
  await release();
  await program.get(deliveries);
  const [found] = await database.sql`
    select count(payload)::int as events, count(distinct xmin::text)::int as parts
    from diorama.events where environment_id = ${environment.environmentId}
  `;
  expect(found?.["events"]).toBe(201);
  // Each change has 39 kB before and after it, and a part has 4 MB.
  expect(found?.["parts"]).toBeGreaterThan(4);
});
