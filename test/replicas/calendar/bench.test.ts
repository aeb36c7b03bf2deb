/** The template for benchmarks: what tasks rely on holds. */
import { beforeAll, expect, test } from "bun:test";
import { type Environment, useScene } from "./scene";

const scene = useScene();
let environment: Environment;
beforeAll(async () => {
  environment = await scene.environment({
    templateName: "calendar_bench_default",
    impersonateUserId: "assistant@harborline.test",
  });
});
const get = (path: string) => scene.get(environment, path);
const address = (name: string) => `${name}@harborline.test`;
const eventsOf = async (calendar: string, window: object) => {
  const query = new URLSearchParams({ singleEvents: "true", orderBy: "startTime", ...window });
  return (await get(`calendars/${calendar}/events?${query}`)).items as any[];
};

test("a series keeps its hour in each zone while the USA and Europe change to summer time", async () => {
  const window = { timeMin: "2026-02-25T00:00:00Z", timeMax: "2026-04-03T00:00:00Z", q: "sync" };
  const west = await eventsOf(address("sam.rivera"), { ...window, q: "Reliability" });
  const berlin = await eventsOf(address("tom.becker"), { ...window, q: "Reliability" });
  const hours = (items: any[]) => items.map(({ start }) => start.dateTime.slice(5, 16));
  expect(new Set(west.map(({ start }) => start.dateTime.slice(11, 16)))).toEqual(
    new Set(["09:00"]),
  );
  expect(hours(berlin)).toEqual([
    ...["02-26T18:00", "03-05T18:00", "03-12T17:00", "03-19T17:00"],
    ...["03-26T17:00", "04-02T18:00"],
  ]);
});

test("names resemble each other, and so do meetings", async () => {
  const window = { timeMin: "2026-03-11T00:00:00Z", timeMax: "2026-03-14T00:00:00Z" };
  const named = async (who: string, q: string) =>
    (await eventsOf(address(who), { ...window, q })).map(({ id }) => id.split("_")[0]);
  expect(await named("maya.chen", "Data sync")).toEqual(["datameet"]);
  expect(await named("maya.cheng", "Data sync")).toEqual(["datacoast"]);
  const training = { ...window, timeMax: "2026-03-17T00:00:00Z", q: "Carrier training" };
  const dates = await eventsOf(address("alex.morgan"), training);
  expect(dates.map(({ id }) => id)).toEqual(["trainingold", "training"]);
});

test("private events and the calendar of Christine show times only", async () => {
  const window = { timeMin: "2026-03-12T00:00:00Z", timeMax: "2026-03-13T00:00:00Z" };
  const [meeting] = await eventsOf(address("samir.patel"), {
    ...window,
    timeMin: "2026-03-12T16:55:00Z",
  });
  expect([meeting.visibility, meeting.summary]).toEqual(["private", undefined]);
  const christine = await eventsOf(address("christine.parks"), window);
  expect(christine.length).toBeGreaterThan(0);
  expect(christine.every(({ summary }) => summary === undefined)).toBe(true);
});

test("the assistant is booked twice on 12 March, and rooms are taken on 17 March", async () => {
  const { items } = await get(
    "calendars/primary/events?singleEvents=true&orderBy=startTime&timeMin=2026-03-12T13:00:00Z&timeMax=2026-03-12T14:00:00Z",
  );
  expect(items.map(({ id }: { id: string }) => id)).toEqual(["budgetq2", "vendorcall"]);
  const rooms = ["elbe", "alster"].map((name) => `c_${name}@resource.calendar.google.com`);
  const { calendars } = await scene.send(environment, "POST", "freeBusy", {
    ...{ timeMin: "2026-03-17T12:00:00Z", timeMax: "2026-03-17T13:00:00Z" },
    items: rooms.map((id) => ({ id })),
  });
  const busy = rooms.map((id) => calendars[id].busy.length);
  expect(busy).toEqual([1, 1]);
});
