/** Names and behaviours for tests that were written for the calendar of agent-diff. */
import { beforeAll, expect, test } from "bun:test";
import { expectStatus } from "../../support/program";
import { type Environment, ROBIN, TEAM, timed, useScene } from "./scene";

const { program, environment, call, send, get } = useScene();
const AGENT = "agent@acme.test";
const TEAM_ID = "c_team@group.calendar.google.com";
const EVENTS = "calendars/primary/events";

const SEED = {
  now: "2026-01-05T09:00:00Z",
  users: [
    { email: AGENT, name: "Agent" },
    { email: ROBIN, name: "Robin" },
  ],
  calendars: [{ key: "team", id: TEAM_ID, summary: "Team", owner: AGENT, listed: [ROBIN] }],
  events: [
    {
      id: "event_retro_1",
      calendar: "team",
      summary: "Retro",
      start: "2026-01-07T09:00",
      end: "2026-01-07T10:00",
    },
  ],
};

beforeAll(async () => {
  for (const [name, fields] of [
    ["calendar_plain", {}],
    ["calendar_lenient", { compatibility: "agent-diff" }],
  ] as const) {
    const wanted = { service: "calendar", name, seed: { ...SEED, ...fields } };
    expectStatus(await program.post("/templates/import", wanted), 201);
  }
});

const lenient = () => environment({ templateName: "calendar_lenient" });
const plain = () => environment({ templateName: "calendar_plain" });

test("a rule may be named with its calendar", async () => {
  const env = await plain();
  await send(env, "PUT", `${TEAM}/acl/${TEAM_ID}:user:${ROBIN}`, { role: "reader" });

  expect(await get(env, `${TEAM}/acl/user:${ROBIN}`)).toMatchObject({
    ...{ id: `user:${ROBIN}`, role: "reader" },
  });
});

test("events of seeds may have ids with underscores", async () => {
  const env = await plain();

  expect(await get(env, `${TEAM}/events/event_retro_1`)).toMatchObject({ summary: "Retro" });
});

const CASES: [string, (env: Environment) => ReturnType<typeof call>, number][] = [
  ["a secondary calendar is cleared", (env) => call(env, "POST", `${TEAM}/clear`), 204],
  [
    "the owner leaves a calendar",
    (env) => call(env, "DELETE", `users/me/calendarList/${TEAM_ID}`),
    204,
  ],
];

test.each(CASES)("%s, if the seed says so", async (_what, act, status) => {
  expect((await act(await plain())).status).toBeOneOf([400, 403]);
  expect((await act(await lenient())).status).toBe(status);
});

test("a quick event keeps its whole text as the summary, if the seed says so", async () => {
  const path = `${EVENTS}/quickAdd?text=Lunch%20on%20Friday%20at%20noon`;

  expect(await send(await plain(), "POST", path)).toMatchObject({ summary: "Lunch" });
  expect(await send(await lenient(), "POST", path)).toMatchObject({
    ...{ summary: "Lunch on Friday at noon" },
    start: { dateTime: expect.stringContaining("2026-01-09T12:00:00") },
  });
});

test("the switch is no setting of a user", async () => {
  const { items } = await get(await lenient(), "users/me/settings");

  expect(items.map(({ id }: any) => id)).not.toContain("compatibility");
  const answer = await call(await lenient(), "GET", "users/me/settings/compatibility");
  expect(answer.status).toBe(404);
});

test("a seed with another switch is an error", async () => {
  const seed = { ...SEED, compatibility: "other" };
  const wanted = { service: "calendar", name: "calendar_other", seed };
  const { status, body } = await program.post("/templates/import", wanted);

  expect([status, body.detail]).toEqual([400, expect.stringContaining("compatibility")]);
});

test("a spec may have the other names of tables, and columns in snake_case", async () => {
  const env = await lenient();
  const { body: run } = await program.post("/startRun", { envId: env.environmentId });
  const event = { summary: "Retro 2", ...timed(), attendees: [{ email: ROBIN }] };
  await send(env, "POST", EVENTS, event);
  await send(env, "PATCH", `${TEAM}/events/event_retro_1`, { colorId: "5" });
  await send(env, "PUT", `${TEAM}/acl/user:${ROBIN}`, { role: "reader" });
  const changed = { entity: "calendar_events", diff_type: "changed", expected_count: 1 };
  const spec = {
    ignore_fields: { calendar_events: ["i_cal_uid"], global: ["color_id"] },
    closed_world: true,
    allow: [{ entity: "calendar_event_attendees", where: { response_status: "needsAction" } }],
    assertions: [
      {
        ...{ entity: "calendar_events", diff_type: "added", expected_count: 1 },
        where: {
          calendar_id: AGENT,
          "start.dateTime": "2026-01-07T14:00:00Z",
          or: [{ event_type: "default" }, { not: { recurring_event_id: { is_null: true } } }],
        },
      },
      {
        ...{ ...changed, where: { calendar_id: TEAM_ID } },
        expected_changes: { color_id: { from: null, to: "5" } },
        ignore: ["extended_properties"],
      },
      {
        ...{ entity: "calendar_acl_rules", diff_type: "added", expected_count: 1 },
        where: { scope_value: ROBIN, calendar_id: TEAM_ID },
      },
    ],
  };
  const { body } = await program.post("/evaluateRun", { runId: run.runId, expectedOutput: spec });

  expect(body).toMatchObject({ passed: true, failures: [] });
});

test.each([
  ["where", { where: { calendar_id: AGENT, calendarId: TEAM_ID } }, '"calendar_id"'],
  ["where", { where: { calendar_id: AGENT, calendarid: TEAM_ID } }, '"calendarid"'],
])("a column that a %s names twice is an error: nothing is dropped", async (_place, part, name) => {
  const env = await lenient();
  const { body: run } = await program.post("/startRun", { envId: env.environmentId });
  const assertions = [{ entity: "calendar_events", diff_type: "added", ...part }];
  const wanted = { runId: run.runId, expectedOutput: { assertions } };
  const { status, body } = await program.post("/evaluateRun", wanted);

  expect([status, body.detail]).toEqual([400, expect.stringContaining(name)]);
});

test("an unknown name in such a spec is an error as in any other", async () => {
  const env = await lenient();
  const { body: run } = await program.post("/startRun", { envId: env.environmentId });
  const where = { calender_id: AGENT };
  const assertions = [{ entity: "calendar_events", diff_type: "added", where }];
  const wanted = { runId: run.runId, expectedOutput: { assertions } };
  const { status, body } = await program.post("/evaluateRun", wanted);

  expect([status, body.detail]).toEqual([400, expect.stringContaining('"calender_id"')]);
});
