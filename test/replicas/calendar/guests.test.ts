/** Series and their changed instances in the calendars of guests. */
import { describe, expect, test } from "bun:test";
import { type Environment, JOHN, ROBIN, useScene } from "./scene";

const { environment, copyFor, get, send } = useScene();

const EVENTS = "calendars/primary/events";
const SPRING = "timeMin=2026-03-10T00:00:00Z&timeMax=2026-05-01T00:00:00Z&singleEvents=true";
const JUNE = "timeMin=2026-06-01T00:00:00Z&timeMax=2026-06-08T00:00:00Z";
const SECOND = "series_20260323T090000Z";

/** Mondays at nine in London, from 16 March 2026. */
const create = (env: Environment, fields: object = {}) =>
  send(env, "POST", EVENTS, {
    id: "series",
    summary: "Weekly",
    start: { dateTime: "2026-03-16T09:00:00", timeZone: "Europe/London" },
    end: { dateTime: "2026-03-16T09:30:00", timeZone: "Europe/London" },
    recurrence: ["RRULE:FREQ=WEEKLY;COUNT=4"],
    attendees: [{ email: JOHN }],
    ...fields,
  });

const idsOf = async (env: Environment, path: string) =>
  (await get(env, path)).items.map(({ id }: any) => id);

describe("an instance that is moved behind the end of its series", () => {
  test("is there in the calendars of its guests, and blocks their time", async () => {
    const env = await environment();
    await create(env);
    await send(env, "PATCH", `${EVENTS}/${SECOND}`, {
      start: { dateTime: "2026-06-02T09:00:00Z" },
      end: { dateTime: "2026-06-02T10:00:00Z" },
    });
    const john = await copyFor(env, JOHN);

    for (const of of [env, john]) {
      expect(await idsOf(of, `${EVENTS}?${JUNE}&singleEvents=true`)).toEqual([SECOND]);
      expect(await idsOf(of, `${EVENTS}?${JUNE}`)).toEqual(["series", SECOND]);
    }
    const { calendars } = await send(env, "POST", "freeBusy", {
      timeMin: "2026-06-01T00:00:00Z",
      timeMax: "2026-06-08T00:00:00Z",
      items: [{ id: JOHN }],
    });
    expect(calendars[JOHN].busy).toEqual([
      { start: "2026-06-02T09:00:00Z", end: "2026-06-02T10:00:00Z" },
    ]);
  });
});

describe("an instance that a guest has answered", () => {
  /** The series, of which John has accepted the second instance alone. */
  async function answered() {
    const env = await environment();
    await create(env);
    const john = await copyFor(env, JOHN);
    const attendees = [{ email: JOHN, responseStatus: "accepted" }];
    await send(john, "PATCH", `${EVENTS}/${SECOND}`, { attendees });
    return john;
  }

  test("leaves the calendar of the guest with the series, and comes back with it", async () => {
    const john = await answered();
    await send(john, "DELETE", `${EVENTS}/series`);

    expect(await idsOf(john, `${EVENTS}?${SPRING}&q=Weekly`)).toEqual([]);
    const attendees = [{ email: JOHN, responseStatus: "tentative" }];
    await send(john, "PATCH", `${EVENTS}/series`, { attendees });
    const found = (await get(john, `${EVENTS}?${SPRING}&q=Weekly`)).items;
    expect(found.map((each: any) => each.attendees[0].responseStatus)).toEqual(
      Array.from({ length: 4 }, () => "tentative"),
    );
  });

  test("has the guests that its series gets and loses", async () => {
    const john = await answered();
    const agent = await copyFor(john, "agent@acme.test");
    const guestsOf = async () =>
      (await get(agent, `${EVENTS}/${SECOND}`)).attendees.map(({ email, responseStatus }: any) => [
        email,
        responseStatus,
      ]);
    await send(agent, "PATCH", `${EVENTS}/series`, {
      attendees: [{ email: JOHN }, { email: ROBIN }],
    });

    expect(await guestsOf()).toEqual([
      [JOHN, "accepted"],
      [ROBIN, "needsAction"],
    ]);
    await send(agent, "PATCH", `${EVENTS}/series`, { attendees: [{ email: ROBIN }] });
    expect(await guestsOf()).toEqual([[ROBIN, "needsAction"]]);
    const former = await copyFor(agent, JOHN);
    expect(await idsOf(former, `${EVENTS}?${SPRING}&q=Weekly`)).toEqual([]);
    expect(await get(former, `${EVENTS}/${SECOND}`)).toMatchObject({ status: "cancelled" });
  });
});
