/** The wire of Socket Mode: tickets, envelopes and acknowledgements. */
import { describe, expect, test } from "bun:test";
import { socket } from "~/replicas/chat/events/socket";
import { issueTicket } from "~/replicas/chat/events/ticket";

const SECRET = Buffer.from("one environment's secret");
const OTHER = Buffer.from("another one's");
const APP = { id: "A06BOT", user: "U06BOT" };
const query = (ticket: string) => new URLSearchParams({ ticket });

describe("a ticket", () => {
  test("admits its app for half a minute of real time", () => {
    const ticket = issueTicket(SECRET, APP.id);
    const now = Date.now();

    const read = socket.readTicket(SECRET, query(ticket), now);

    expect(read).toMatchObject({ app: APP.id, ticket });
    expect(read?.expiresAt).toBeWithin(now + 29_000, now + 30_001);
    expect(socket.readTicket(SECRET, query(ticket), now + 29_000)).toEqual(read);
    expect(socket.readTicket(SECRET, query(ticket), now + 31_000)).toBeUndefined();
    expect(issueTicket(SECRET, APP.id)).not.toBe(ticket);
  });

  test("of another environment, changed, or made up is none", () => {
    const ticket = issueTicket(SECRET, APP.id);
    const now = Date.now();

    expect(socket.readTicket(OTHER, query(ticket), now)).toBeUndefined();
    for (const text of [
      ticket.replace("A06BOT", "A07STRAY"),
      ticket.replace(/^\d{13}/, "9999999999999"),
      ticket.slice(0, -1),
      `${ticket}0`,
      ` ${ticket}`,
      "",
    ])
      expect(socket.readTicket(SECRET, query(text), now)).toBeUndefined();
    expect(socket.readTicket(SECRET, new URLSearchParams(), now)).toBeUndefined();
  });
});

describe("an envelope", () => {
  const payload = {
    team_id: "T01ACMECORP",
    event_time: 1_767_603_600,
    event: {
      type: "message",
      text: "/files-pri/not/an/address",
      files: [{ url_private: "/files-pri/T1-F1/a.txt", permalink: "https://acme.test/a" }],
      event_ts: "1767603600.731938",
    },
  };
  const baseUrl = "http://localhost:1/api/env/x/services/chat";
  const delivery = { app: APP, payload, number: 7, attempt: 0, failed: null, baseUrl };
  const of = (change: object = {}, secret = SECRET) =>
    JSON.parse(socket.message(secret, { ...delivery, ...change }));

  test("holds the body that the service sends over HTTP", () => {
    const { event, event_id: id, token, event_context: context, ...rest } = of().payload;

    expect(rest).toEqual({
      team_id: "T01ACMECORP",
      context_team_id: "T01ACMECORP",
      context_enterprise_id: null,
      enterprise_id: null,
      api_app_id: APP.id,
      type: "event_callback",
      event_time: 1_767_603_600,
      authorizations: [
        {
          enterprise_id: null,
          team_id: "T01ACMECORP",
          user_id: APP.user,
          is_bot: true,
          is_enterprise_install: false,
        },
      ],
      is_ext_shared_channel: false,
    });
    expect(event).toEqual({
      ...payload.event,
      files: [
        { url_private: `${baseUrl}/files-pri/T1-F1/a.txt`, permalink: "https://acme.test/a" },
      ],
    });
    expect(id).toMatch(/^Ev[A-Z0-9]{11}$/);
    expect(token).toMatch(/^[A-Za-z0-9]{24}$/);
    expect(context).toMatch(/^4-[\w-]+$/);
  });

  test("has the same event in each attempt, and another id", () => {
    const [first, second] = [of(), of({ attempt: 1 })];

    expect(second.payload).toEqual(first.payload);
    expect(second.envelope_id).not.toBe(first.envelope_id);
    expect([first.retry_attempt, first.retry_reason]).toEqual([0, ""]);
    expect([second.retry_attempt, second.retry_reason]).toEqual([1, "timeout"]);
    expect(first).toMatchObject({ type: "events_api", accepts_response_payload: false });
  });

  test("has ids of its app, its number and its environment", () => {
    const ids = [of(), of({ number: 8 }), of({ app: { ...APP, id: "A1" } }), of({}, OTHER)];

    expect(new Set(ids.map(({ payload }) => payload.event_id)).size).toBe(4);
    expect(new Set(ids.map(({ envelope_id: id }) => id)).size).toBe(4);
    const tokens = ids.map(({ payload }) => payload.token);
    expect(tokens[1]).toBe(tokens[0]);
    expect(new Set(tokens).size).toBe(3);
  });

  test.each([
    [1, 0],
    [100_000, 3],
    [2 ** 40, 4],
  ])("of delivery %p, attempt %p, is acknowledged", (number, attempt) => {
    const { envelope_id: id } = of({ number, attempt });

    expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
    expect(socket.acknowledged(JSON.stringify({ envelope_id: id }))).toEqual({ number, attempt });
    const withPayload = JSON.stringify({ envelope_id: id, payload: { text: "x" } });
    const answer = { text: "x" };
    expect(socket.acknowledged(withPayload)).toEqual({ number, attempt, answer });
  });

  test.each([
    ["nothing", ""],
    ["no JSON", "{"],
    ["a text", '"x"'],
    ["null", "null"],
    ["a list", "[]"],
    ["no id", "{}"],
    ["a number", '{"envelope_id": 7}'],
    ["a ping of an app", '{"type": "ping"}'],
    ["an id that is cut off", `{"envelope_id": "${of().envelope_id.slice(0, -1)}"}`],
    ["a longer id", `{"envelope_id": "${of().envelope_id}0"}`],
    ["a foreign id", '{"envelope_id": "6ba7b810-9dad-11d1-80b4-00c04fd430c8"}'],
    ["a message that is cut off", `{"envelope_id": "${of().envelope_id}"`],
    ["deep JSON", `{"envelope_id": ${"[".repeat(100)}${"]".repeat(100)}}`],
  ])("is not acknowledged by %s", (_, text) => {
    expect(socket.acknowledged(text)).toBeUndefined();
  });
});

test("a connection is greeted and dismissed in the service's words", () => {
  expect(JSON.parse(socket.hello(APP.id, 2))).toEqual({
    type: "hello",
    num_connections: 2,
    debug_info: {
      host: expect.any(String),
      build_number: expect.any(Number),
      approximate_connection_time: expect.any(Number),
    },
    connection_info: { app_id: APP.id },
  });
  const reasons = (["refresh", "too_many", "disabled"] as const).map((reason) =>
    JSON.parse(socket.goodbye(reason)),
  );
  expect(reasons.map(({ type, reason }) => [type, reason])).toEqual([
    ["disconnect", "refresh_requested"],
    ["disconnect", "too_many_websockets"],
    ["disconnect", "link_disabled"],
  ]);
});

test("an app's token begins as apps' tokens do", () => {
  expect(socket.tokenPrefix(APP.id)).toBe("xapp-1-A06BOT-");
});
