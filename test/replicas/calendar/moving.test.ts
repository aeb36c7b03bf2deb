/** Events that are moved to another calendar. */
import { expect, test } from "bun:test";
import { useScene } from "./scene";

const { environment, get, send } = useScene();

const EVENTS = "calendars/primary/events";
const SPRING = "timeMin=2026-03-10T00:00:00Z&timeMax=2026-05-01T00:00:00Z&singleEvents=true";

test("a series that is moved to another calendar keeps all its instances", async () => {
  const env = await environment();
  await send(env, "POST", EVENTS, {
    id: "series",
    summary: "Weekly",
    start: { dateTime: "2026-03-16T09:00:00", timeZone: "Europe/London" },
    end: { dateTime: "2026-03-16T09:30:00", timeZone: "Europe/London" },
    recurrence: ["RRULE:FREQ=WEEKLY;COUNT=4"],
  });
  const idsOf = async (path: string) => (await get(env, path)).items.map(({ id }: any) => id);
  const before = await idsOf(`${EVENTS}?${SPRING}&q=Weekly`);
  const { id } = await send(env, "POST", "calendars", { summary: "Other" });
  const destination = encodeURIComponent(id);
  await send(env, "POST", `${EVENTS}/series/move?destination=${destination}`);

  expect(before).toHaveLength(4);
  expect(await idsOf(`calendars/${destination}/events?${SPRING}`)).toEqual(before);
});
