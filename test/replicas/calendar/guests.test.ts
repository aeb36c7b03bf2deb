/** Series and their changed instances in the calendars of guests. */
import { describe, expect, test } from "bun:test";
import { type Environment, JOHN, useScene } from "./scene";

const { environment, copyFor, get, send } = useScene();

const EVENTS = "calendars/primary/events";
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
