/**
 * Random sequences of calls by three people leave the rows of a small model, and the diff of a run is the difference of
 * two dumps, also if the server is killed in the middle of calls. `MODEL_RUNS=200` plays more.
 */
import { expect, test } from "bun:test";
import fc from "fast-check";
import { difference, keysOf, sorted, stateOf } from "../../../scripts/oracle";
import { startProcess } from "../../support/process";
import { expectStatus } from "../../support/program";
import { restCall } from "../../support/rest";
import { pick, playSequences } from "../../support/sequences";
import { bare } from "../../support/worlds";
import { CalendarModel, COUNT, DAY_MS, type Event, instanceIdOf } from "./model";
import { type Environment, JOHN, ROBIN, useScene } from "./scene";

const scene = useScene();

const AGENT = "agent@acme.test";
const PEOPLE = [AGENT, JOHN, ROBIN];
const GUESTS = [...PEOPLE, "tess@northwind.test"];
const ANSWERS = ["accepted", "declined", "tentative"];
/** Of February, when London has UTC, and nobody is away. */
const FIRST_MS = Date.UTC(2026, 1, 2, 9);
const QUARTER_MS = 15 * 60_000;

const number = fc.nat({ max: 1_000 });
const verb = (weight: number, kind: string) => ({
  weight,
  arbitrary: fc.record({
    kind: fc.constant(kind),
    actor: fc.constantFrom(...PEOPLE),
    ...{ n: number, m: number },
    guests: fc.subarray(GUESTS),
  }),
});
const STEPS = fc.oneof(
  verb(6, "create"),
  verb(4, "createSeries"),
  verb(4, "retitle"),
  verb(5, "move"),
  verb(8, "answer"),
  verb(3, "invite"),
  verb(3, "uninvite"),
  verb(3, "remove"),
  verb(5, "moveInstance"),
  verb(4, "answerInstance"),
  verb(3, "cancelInstance"),
);
type Step = {
  readonly kind: string;
  readonly actor: string;
  readonly n: number;
  readonly m: number;
  readonly guests: readonly string[];
};

type Call = (verb: string, path: string, body?: object) => Promise<{ status: number; body: any }>;
type Player = { readonly model: CalendarModel; readonly call: Call };

const EVENTS = "calendars/primary/events";
const timeOf = (ms: number) => ({ dateTime: new Date(ms).toISOString(), timeZone: "UTC" });
const times = (startMs: number) => ({
  start: timeOf(startMs),
  end: timeOf(startMs + 2 * QUARTER_MS),
});
const momentOf = (n: number, m: number) => FIRST_MS + (n % 6) * DAY_MS + (m % 12) * QUARTER_MS;

let titles = 0;

async function create({ model, call }: Player, { kind, actor, n, m, guests }: Step) {
  const isSeries = kind === "createSeries";
  const [startMs, summary] = [momentOf(n, m), `Matter ${++titles}`];
  const { status, body } = await call("POST", EVENTS, {
    ...{ summary, ...times(startMs), attendees: guests.map((email) => ({ email })) },
    ...(isSeries && { recurrence: [`RRULE:FREQ=DAILY;COUNT=${COUNT}`] }),
  });
  const answers = new Map(guests.map((email) => [email, "needsAction"]));
  model.create({ id: body.id, owner: actor, isSeries, summary, startMs, answers });
  return [status, 200] as const;
}

/** Guests as the organizer's calendar has them, after a change. */
const guestsAfter = (event: Event, change: (emails: Set<string>) => unknown) => {
  const emails = new Set(event.answers.keys());
  change(emails);
  const answerOf = (email: string) => event.answers.get(email) ?? "needsAction";
  return { attendees: [...emails].map((email) => ({ email, responseStatus: answerOf(email) })) };
};

/** Makes the call of a step. Returns the statuses of the service and of the model. */
async function play(player: Player, step: Step): Promise<readonly [number, number] | undefined> {
  const { model, call } = player;
  const { kind, actor, n, m } = step;
  if (kind.startsWith("create")) return await create(player, step);
  const isOfSeries = kind.endsWith("Instance");
  // What is cancelled can only be deleted again.
  const fitting = model.events.filter(
    ({ isSeries, status }) =>
      (kind === "remove" || status === "confirmed") && (isSeries || !isOfSeries),
  );
  if (fitting.length === 0) return undefined;
  const event = pick(fitting, n * 7 + m);
  const path = `${EVENTS}/${event.id}`;
  const patch = async (body: object, at = path) => (await call("PATCH", at, body)).status;
  const guest = pick(GUESTS, m);
  const answer = pick(ANSWERS, n);
  /** Lists replace: the organizer has to name everyone, a guest only himself. */
  const mineAmong = (answers: ReadonlyMap<string, string>) => ({
    attendees: [...answers.keys()]
      .filter((email) => event.owner === actor || email === actor)
      .map((email) => (email === actor ? { email, responseStatus: answer } : { email })),
  });
  switch (kind) {
    case "retitle": {
      const summary = `Matter ${++titles}`;
      return [await patch({ summary }), model.retitle(event, actor, summary)];
    }
    case "move": {
      const startMs = momentOf(n, m);
      if (startMs === event.startMs) return undefined;
      return [await patch(times(startMs)), model.move(event, actor, startMs)];
    }
    case "answer":
      if (!event.answers.has(actor)) return undefined;
      return [await patch(mineAmong(event.answers)), model.answer(event, actor, answer)];
    case "invite":
      if (event.owner !== actor) return undefined;
      return [
        await patch(guestsAfter(event, (all) => all.add(guest))),
        model.invite(event, actor, guest),
      ];
    case "uninvite":
      if (event.owner !== actor) return undefined;
      return [
        await patch(guestsAfter(event, (all) => all.delete(guest))),
        model.uninvite(event, actor, guest),
      ];
    case "remove":
      return [(await call("DELETE", path)).status, model.remove(event, actor)];
  }
  const originalMs = event.startMs + (n % COUNT) * DAY_MS;
  const known = event.instances.get(originalMs);
  const at = `${EVENTS}/${instanceIdOf(event, originalMs)}`;
  // The copies of an instance are those of its own guests.
  const people = known?.answers ?? event.answers;
  if (kind !== "cancelInstance" && known?.status === "cancelled") return undefined;
  if (event.owner !== actor && !(people.has(actor) && event.answers.has(actor))) return undefined;
  switch (kind) {
    case "moveInstance": {
      const startMs = originalMs + ((m % 8) + 1) * QUARTER_MS;
      if (startMs === known?.startMs) return undefined;
      return [
        await patch(times(startMs), at),
        model.moveInstance(event, actor, originalMs, startMs),
      ];
    }
    case "answerInstance":
      if (!people.has(actor) || people.get(actor) === answer) return undefined;
      return [
        await patch(mineAmong(people), at),
        model.answerInstance(event, actor, originalMs, answer),
      ];
    default:
      if (event.owner !== actor) return undefined;
      return [(await call("DELETE", at)).status, model.cancelInstance(event, actor, originalMs)];
  }
}

async function linesOf({ schemaName }: Environment): Promise<string[]> {
  const { sql } = scene.database;
  const events = await sql.unsafe<{ id: string; status: string; summary: string; at: Date }[]>(
    `select id, status, summary, "startAt" as at from ${schemaName}.events`,
  );
  const attendees = await sql.unsafe<{ eventId: string; email: string; status: string }[]>(
    `select "eventId", email, "responseStatus" as status from ${schemaName}.event_attendees`,
  );
  return [
    ...events.map(({ id, status, summary, at }) =>
      [id, status, summary, at.toISOString()].join(" "),
    ),
    ...attendees.map(({ eventId, email, status }) => [eventId, email, status].join(" ")),
  ].toSorted();
}

/** A call as one of the people, to a server at `url`. */
const callAt =
  (url: string, { environmentUrl, token }: Environment, actor: string): Call =>
  async (verb, path, body) =>
    await restCall(
      `${url}${environmentUrl}/calendar/v3/${path}`,
      verb,
      { "X-API-Key": token, Authorization: `Bearer ${actor}` },
      body,
    );

const FRESH = { templateName: "calendar_base", allowImpersonation: true };

test("a sequence of calls has the answers, the rows and the diff of the model", async () => {
  const seen = new Set<string>();
  const { sql } = scene.database;

  await playSequences(STEPS, async (sequence) => {
    const env = await scene.environment(FRESH);
    const { schemaName: schema, environmentId: envId } = env;
    const keys = await keysOf(sql, schema);
    const before = await stateOf(sql, schema, keys);
    const started = await scene.program.post("/startRun", { envId });
    expectStatus(started, 201);
    const model = new CalendarModel();
    const log: string[] = [];
    try {
      for (const step of sequence) {
        const call = callAt(scene.program.url, env, step.actor);
        const outcome = await play({ model, call }, step);
        log.push(`${JSON.stringify(step)}: ${outcome}`);
        if (!outcome) continue;
        const [status, expected] = outcome;
        seen.add(`${step.kind} ${status}`);
        expect(status === 204 ? 200 : status).toBe(expected);
        expect(await linesOf(env)).toEqual(model.lines);
      }
      const after = await stateOf(sql, schema, keys);
      const { body } = await scene.program.post("/diffRun", { runId: started.body.runId });
      expect(sorted(bare(body.diff))).toBe(sorted(difference(before, after, keys)));
    } catch (error) {
      throw new Error(`${log.join("\n")}\n${String(error)}`, { cause: error });
    }
  });

  // Enough of the rules were reached.
  expect([...seen].toSorted().length).toBeGreaterThan(15);
}, 600_000);

test("the diff is that of two dumps when the server is killed in the middle of calls", async () => {
  const { sql } = scene.database;
  let server = await startProcess(scene.database);
  const { body: env } = await server.post("/initEnv", {
    ...{ templateService: "calendar", impersonateUserId: AGENT, ...FRESH },
  });
  const schema = env.schemaName;
  const keys = await keysOf(sql, schema);
  const before = await stateOf(sql, schema, keys);
  const { body: run } = await server.post("/startRun", { envId: env.environmentId });
  const acknowledged: string[] = [];

  for (let round = 0; round < 4; round++) {
    const calls = PEOPLE.flatMap((actor, at) =>
      Array.from({ length: 6 }, async (_, index) => {
        const call = callAt(server.url, env, actor);
        const startMs = momentOf(round + at, index);
        const attendees = GUESTS.map((email) => ({ email }));
        const recurrence = index % 2 === 0 && { recurrence: ["RRULE:FREQ=DAILY;COUNT=3"] };
        const { status, body } = await call("POST", EVENTS, {
          ...{ summary: `Matter ${index}`, ...times(startMs), attendees, ...recurrence },
        });
        if (status === 200) acknowledged.push(body.id);
      }),
    );
    await Promise.race(calls);
    server.kill("SIGKILL");
    await Promise.allSettled(calls);
    await server.exited;
    server = await startProcess(scene.database);
  }
  const { body } = await server.post("/diffRun", { runId: run.runId });
  const after = await stateOf(sql, schema, keys);
  server.kill("SIGTERM");
  await server.exited;

  expect(sorted(bare(body.diff))).toBe(sorted(difference(before, after, keys)));
  const inserted = new Set(body.diff.inserts.map(({ id }: { id?: string }) => id));
  expect(acknowledged.length).toBeGreaterThanOrEqual(4);
  expect(acknowledged.filter((id) => !inserted.has(id))).toEqual([]);
});
