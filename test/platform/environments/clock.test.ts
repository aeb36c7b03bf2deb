/** The clock of an environment, and ids that derive from a seed. */
import { describe, expect, test } from "bun:test";
import { useSharedDatabase } from "../../support/database";
import { expectRefusal, expectStatus, useProgram } from "../../support/program";

const database = useSharedDatabase();
const program = useProgram(database);

const NOON = "2026-03-11T12:00:00.000Z";
const at = (moment: string) => Date.parse(moment) / 1000;

type Environment = { environmentId: string; environmentUrl: string };

const post = async (environment: Environment, channel = "C01GENERAL") =>
  (await program.chat(environment, "chat.postMessage", { channel, text: "now" })).ts;
const clockOf = async ({ environmentId }: Environment) => {
  const answer = await program.get(`/env/${environmentId}/clock`);
  expectStatus(answer, 200);
  return answer.body;
};
const control = async ({ environmentId }: Environment, verb: string, body: object = {}) => {
  const answer = await program.post(`/env/${environmentId}/${verb}`, body);
  expectStatus(answer, 200);
  return answer.body;
};

/** The day of chat_bench_default, in milliseconds since 1970. */
async function useStory() {
  const { body } = await program.get("/templates/chat_bench_default/seed");
  return { opens: Date.parse(body.now) };
}

describe("a clock", () => {
  test("runs from the day on which the template's story plays", async () => {
    const { opens } = await useStory();
    const environment = await program.environment({ templateName: "chat_bench_default" });
    const first = Number(await post(environment));
    const second = Number(await post(environment));

    expect(first - opens / 1000).toBeWithin(0, 20);
    expect(second).toBeGreaterThan(first);
    expect(await clockOf(environment)).toEqual({ mode: "running", now: expect.any(String) });
    expect(Date.parse((await clockOf(environment)).now) - opens).toBeWithin(0, 20_000);
  });

  test("shows real time if wanted, and in templates without a day", async () => {
    for (const templateName of ["chat_base", "chat_default"])
      expect((await program.environment({ templateName })).clock.mode).toBe("real");
    for (const templateName of ["tracker_base", "tracker_default"]) {
      const impersonateEmail = "agent@acme.test";
      const fields = { templateService: "tracker", templateName, impersonateEmail };
      const { clock } = await program.environment({ ...fields, impersonateUserId: undefined });
      expect(clock.mode).toBe("real");
    }
    const real = await program.environment({ clock: "real", templateName: "chat_bench_default" });
    expect(Number(await post(real)) - Date.now() / 1000).toBeWithin(-5, 1);
    const { templateName } = await saved(real, "without_a_day");

    const own = await program.environment({ templateName });
    expect(own.clock.mode).toBe("real");
    expect(Number(await post(own)) - Date.now() / 1000).toBeWithin(-5, 1);
  });

  test("stands still when frozen: timestamps of messages stay unique and rise", async () => {
    const environment = await program.environment({ clock: { now: NOON, mode: "frozen" } });
    const stamps = await Promise.all(Array.from({ length: 20 }, () => post(environment)));

    expect(new Set(stamps).size).toBe(20);
    expect(stamps.every((ts) => Math.floor(Number(ts)) === at(NOON))).toBe(true);
    const last = await post(environment);
    expect(stamps.every((ts) => ts < last)).toBe(true);
    expect(await clockOf(environment)).toEqual({ mode: "frozen", now: NOON });
  });

  test("goes one step forward with each call, whether or not it writes", async () => {
    const environment = await program.environment({
      clock: { now: NOON, mode: "step", stepMs: 60_000 },
    });
    expect(Number(await post(environment))).toBe(at(NOON) + 60);
    await program.chat(environment, "api.test");
    await program.chat(environment, "no.such.method");
    expect(Number(await post(environment))).toBe(at(NOON) + 240);
    expect(await clockOf(environment)).toEqual({
      mode: "step",
      stepMs: 60_000,
      now: "2026-03-11T12:04:00.000Z",
    });
  });

  test("is the date of every answer of the service", async () => {
    const dateOf = async ({ environmentUrl }: Environment, path: string, body: object = {}) => {
      const response = await fetch(`${program.url}${environmentUrl}/${path}`, {
        method: "POST",
        headers: {
          "Content-Type": "application/json",
          Accept: "application/json, text/event-stream",
        },
        body: JSON.stringify(body),
      });
      await response.body?.cancel();
      return Date.parse(response.headers.get("date") ?? "");
    };
    const ping = { jsonrpc: "2.0", id: 1, method: "ping" };
    const frozen = await program.environment({ clock: { now: NOON, mode: "frozen" } });
    const noon = Date.parse(NOON);
    expect(await dateOf(frozen, "mcp", ping)).toBe(noon);
    expect(await dateOf(frozen, "auth.test")).toBe(noon);
    expect(await dateOf(frozen, "no.such.method")).toBe(noon);
    await control(frozen, "clock", { advance: "PT1H" });
    expect(await dateOf(frozen, "mcp", ping)).toBe(noon + 3_600_000);
    expect(await dateOf(frozen, "auth.test")).toBe(noon + 3_600_000);

    const minutes = { now: NOON, mode: "step", stepMs: 60_000 };
    const step = await program.environment({ clock: minutes });
    expect(await dateOf(step, "auth.test")).toBe(noon + 60_000);
    expect(await dateOf(step, "auth.test")).toBe(noon + 120_000);
    expect(await dateOf(step, "mcp", ping)).toBe(noon + 120_000);

    const running = await program.environment({ clock: { now: NOON } });
    expect((await dateOf(running, "auth.test")) - noon).toBeWithin(0, 20_000);
    const real = await program.environment({ clock: "real" });
    expect((await dateOf(real, "auth.test")) - Date.now()).toBeWithin(-5_000, 1_000);
  });

  test.each([
    ["chat.scheduleMessage", { channel: "C01GENERAL", text: "x", post_at: 1 }, "time_in_past"],
    ["chat.scheduleMessage", { channel: "C01GENERAL", text: "x", post_at: 2e9 }, "time_too_far"],
    ["reminders.add", { text: "x", time: "yesterday" }, "cannot_parse"],
  ])("is named when %s with %p is rejected", async (method, args, error) => {
    const environment = await program.environment({ clock: { now: NOON, mode: "frozen" } });

    expect(await program.chat(environment, method, args)).toEqual({
      ok: false,
      error,
      response_metadata: { messages: [`[ERROR] the workspace's time is ${NOON} (${at(NOON)})`] },
    });
  });

  test("stays at the last time that it can show, where timestamps still rise", async () => {
    const environment = await program.environment({
      clock: { now: "2037-12-31T23:59:59Z", mode: "step", stepMs: 86_400_000 },
    });
    const stamps: string[] = [];
    // Within one channel the timestamps rise under any clock.
    for (let count = 0; count < 24; count++)
      stamps.push(await post(environment, count % 2 === 0 ? "C01GENERAL" : "C02RANDOM"));

    expect(stamps.at(-1)).toStartWith(`${at("2037-12-31T23:59:59Z")}.999`);
    expect(stamps).toEqual([...new Set(stamps)].toSorted());
    expect((await clockOf(environment)).now).toBe("2037-12-31T23:59:59.999Z");
  });

  test("belongs to snapshots and forks, and a reset returns to its beginning", async () => {
    const environment = await program.environment({ clock: { now: NOON, mode: "step" } });
    await post(environment);
    const { snapshotId } = await control(environment, "snapshots");
    const second = await post(environment);
    const { environments: current } = await control(environment, "fork");
    const { environments: old } = await control(environment, "fork", { snapshotId });

    expect(Number(await post(current[0]))).toBe(at(NOON) + 3);
    expect(await post(old[0])).toBe(second);
    await control(environment, "reset", { snapshotId });
    expect(await post(environment)).toBe(second);
    await control(environment, "reset");
    expect(Number(await post(environment))).toBe(at(NOON) + 1);
  });

  test("of a snapshot continues from what it showed", async () => {
    const environment = await program.environment({ clock: { now: NOON } });
    const { snapshotId } = await control(environment, "snapshots");
    await Bun.sleep(1_500);
    await control(environment, "reset", { snapshotId });

    const { now } = await clockOf(environment);
    expect(Date.parse(now) - Date.parse(NOON)).toBeWithin(0, 1_400);
  });

  test.each([
    [{ now: "2038-01-01T00:00:00Z" }, "clock.now: a time in the years 2002 to 2037 is needed"],
    [{ now: "2001-12-31T00:00:00Z" }, "clock.now: a time in the years 2002 to 2037 is needed"],
    [{ stepMs: 5 }, "clock.stepMs: only the mode step has it"],
  ])("%j is rejected", async (clock, detail) => {
    const wanted = { templateService: "chat", templateName: "chat_default", clock };
    const answer = await program.post("/initEnv", { ...wanted, impersonateUserId: "U01AGENTONE" });
    expectRefusal(answer, 400, "invalid_request", detail);
  });

  test("of a seed: the day on which its story plays", async () => {
    const seed = { extends: "chat_base", now: "2027-05-01T00:00:00Z" };
    const template = { service: "chat", seed };
    expectStatus(
      await program.post("/templates/import", { ...template, name: "later", seed }),
      201,
    );
    const later = await program.environment({ templateName: "later" });
    expect(later.clock.now).toStartWith("2027-05-01T00:00");
    expectRefusal(
      await program.post("/templates/import", {
        ...template,
        name: "never",
        seed: { ...seed, now: "soon" },
      }),
      400,
      "invalid_request",
      "seed: now: a time in the years 2002 to 2037 is needed",
    );
  });

  test("decides until when a trigger is valid", async () => {
    const environment = await program.environment({ clock: { now: NOON, mode: "step" } });
    const trigger = await control(environment, "triggers", { ttlSeconds: 2 });
    expect(trigger.expiresAt).toBe("2026-03-11T12:00:03.000Z");
    const open = () =>
      program.chat(environment, "views.open", {
        trigger_id: trigger.triggerId,
        view: { type: "modal", title: { type: "plain_text", text: "x" }, blocks: [] },
      });
    for (let n = 0; n < 2; n++) await program.chat(environment, "api.test");
    expect(await open()).toMatchObject({ ok: false, error: "expired_trigger_id" });
  });
});

describe("a seed", () => {
  const frozen = { clock: { now: NOON, mode: "step" } };
  const work = async (environment: Environment) => {
    const made = await program.chat(environment, "conversations.create", { name: "plans" });
    const posted = await program.chat(environment, "chat.postMessage", {
      channel: made.channel.id,
      blocks: [{ type: "section", text: { type: "plain_text", text: "x" } }],
    });
    return { made, posted };
  };

  test("gives the same calls the same answers, also in a later reset", async () => {
    const [one, two, other] = await Promise.all(
      [7, 7, 8].map((seed) => program.environment({ ...frozen, seed })),
    );
    const answers = await work(one);

    expect(answers.made.ok && answers.posted.ok).toBe(true);
    expect(await work(two)).toEqual(answers);
    expect((await work(other)).made.channel.id).not.toBe(answers.made.channel.id);
    await control(one, "reset");
    expect(await work(one)).toEqual(answers);
  });

  test("is counted once for each call, on all servers and connections", async () => {
    const environment = await program.environment({
      ...frozen,
      seed: 7,
      clock: { now: NOON, mode: "step" },
    });
    const stamps = await Promise.all(Array.from({ length: 30 }, () => post(environment)));

    expect(Math.max(...stamps.map(Number))).toBeGreaterThanOrEqual(at(NOON) + 30);
    const { now } = await clockOf(environment);
    expect(now).toBe("2026-03-11T12:00:30.000Z");
  });

  test("leaves the time as it is", async () => {
    const environment = await program.environment({ clock: "real", seed: 7 });
    expect(Number(await post(environment)) - Date.now() / 1000).toBeWithin(-5, 1);
  });
});

async function saved(environment: Environment, name: string) {
  const { environmentId } = environment;
  const answer = await program.post("/templates/from-environment", {
    environmentId,
    name,
    service: "chat",
  });
  expectStatus(answer, 201);
  return { templateName: name };
}
