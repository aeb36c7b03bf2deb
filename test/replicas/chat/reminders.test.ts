/** Reminders and do not disturb. */
import { describe, expect, test } from "bun:test";
import { AGENT, JOHN, ROBIN, refused, useScenes } from "./scene";

const newScene = useScenes();
const now = () => Math.floor(Date.now() / 1000);

describe("reminders", () => {
  const isNear = (time: number | undefined, wanted: number) => Math.abs((time ?? 0) - wanted) < 5;
  const inDays = (days: number) => now() + days * 86_400;

  test.each<[string | number, (time: number) => boolean]>([
    [now() + 5_000, (time) => Math.abs(time - now() - 5_000) < 60],
    ["900", (time) => Math.abs(time - now() - 900) < 5],
    ["in 15 minutes", (time) => Math.abs(time - now() - 900) < 5],
    ["in an hour", (time) => Math.abs(time - now() - 3_600) < 5],
    ["in half an hour", (time) => Math.abs(time - now() - 1_800) < 5],
    ["in 3 hours and 5 minutes", (time) => Math.abs(time - now() - 11_100) < 5],
    ["2 days from now", (time) => Math.abs(time - inDays(2)) < 5],
    ["in 2 weeks", (time) => Math.abs(time - inDays(14)) < 5],
    ["tomorrow", (time) => time > now() && time < inDays(2) && time % 3_600 === 0],
    ["tomorrow at 5pm", (time) => [16, 17].includes(new Date(time * 1000).getUTCHours())],
    ["tomorrow at 17:30", (time) => new Date(time * 1000).getUTCMinutes() === 30],
    ["next Monday", (time) => new Date(time * 1000).getUTCDay() === 1 && time < inDays(8)],
    ["Friday at noon", (time) => new Date(time * 1000).getUTCDay() === 5],
    ["on December 24th at 8am", (time) => new Date(time * 1000).getUTCDate() === 24],
    ["2099-01-31 at 10:00", () => false],
    [
      "2031-01-31 at 10:00",
      (time) => new Date(time * 1000).toISOString() === "2031-01-31T10:00:00.000Z",
    ],
  ])("understand %s", async (time, fits) => {
    const { agent } = await newScene();
    const answer = await agent.reminders.add({ text: "tea", time }).catch((error) => error.data);

    // Seconds end in 2038.
    if (answer.ok) expect(fits(answer.reminder.time), String(answer.reminder.time)).toBe(true);
    else expect([time, answer.error]).toEqual(["2099-01-31 at 10:00", "cannot_parse"]);
  });

  test.each<[string, object]>([
    ["every day", { frequency: "daily" }],
    [
      "every weekday at 9:30",
      { frequency: "weekly", weekdays: ["monday", "tuesday", "wednesday", "thursday", "friday"] },
    ],
    ["every Thursday", { frequency: "weekly", weekdays: ["thursday"] }],
    [
      "every Monday and Wednesday at 4pm",
      { frequency: "weekly", weekdays: ["monday", "wednesday"] },
    ],
    ["every month on the 15th", { frequency: "monthly" }],
    ["every month", { frequency: "monthly" }],
    ["every year", { frequency: "yearly" }],
    ["every March 3", { frequency: "yearly" }],
  ])("recur %s", async (time, recurrence) => {
    const { agent } = await newScene();

    const { reminder } = await agent.reminders.add({ text: "tea", time });

    expect(reminder?.time).toBeGreaterThan(now());
    expect(reminder).toMatchObject({ recurring: true, recurrence });
    expect(reminder).not.toHaveProperty("complete_ts");
  });

  test("recur by the argument", async () => {
    const { agent } = await newScene();
    const recurrence = { frequency: "weekly", weekdays: ["tuesday", "friday"] } as const;

    const { reminder } = await agent.reminders.add({
      text: "tea",
      time: "in 1 hour",
      recurrence,
    } as never);

    expect(reminder).toMatchObject({ recurring: true, recurrence });
  });

  test("are read, completed and deleted by the user they are for", async () => {
    const { agent, robin } = await newScene();
    const made = await agent.reminders.add({
      text: "water the plants",
      time: "in 2 hours",
      user: AGENT,
    });
    const id = made.reminder?.id ?? "";

    expect(made.reminder).toEqual({
      id,
      creator: AGENT,
      user: AGENT,
      text: "water the plants",
      recurring: false,
      time: made.reminder?.time,
      complete_ts: 0,
    } as never);
    expect(isNear(made.reminder?.time, now() + 7_200)).toBe(true);
    expect((await agent.reminders.list({})).reminders).toEqual([made.reminder] as never);
    expect((await robin.reminders.list({})).reminders).toEqual([]);
    expect((await refused(robin.reminders.info({ reminder: id }))).error).toBe("not_found");

    await agent.reminders.complete({ reminder: id });
    const { reminder } = await agent.reminders.info({ reminder: id });
    expect(isNear(reminder?.complete_ts, now())).toBe(true);

    await agent.reminders.delete({ reminder: id });
    expect((await agent.reminders.list({})).reminders).toEqual([]);
  });
});

describe("do not disturb", () => {
  test("is off until a user snoozes; only the user sees for how long", async () => {
    const { agent, robin } = await newScene();
    expect(await agent.dnd.info({})).toMatchObject({
      dnd_enabled: false,
      next_dnd_start_ts: 1,
      next_dnd_end_ts: 1,
      snooze_enabled: false,
    });

    const snoozed = await agent.dnd.setSnooze({ num_minutes: 60 });

    expect(snoozed).toMatchObject({ snooze_enabled: true });
    expect(Math.abs((snoozed.snooze_endtime ?? 0) - now() - 3_600)).toBeLessThan(5);
    expect(await agent.dnd.info({ user: AGENT })).toMatchObject({ snooze_enabled: true });
    expect(await robin.dnd.info({ user: AGENT })).not.toHaveProperty("snooze_enabled");

    expect(await agent.dnd.endSnooze({})).toMatchObject({
      snooze_enabled: false,
      dnd_enabled: false,
    });
    expect(await agent.dnd.info({})).toMatchObject({ snooze_enabled: false, snooze_remaining: 0 });
  });

  test("lasts between two local times of the user, and a session can be ended", async () => {
    const scene = await newScene();
    // From two hours ago until in two hours, in the user's zone.
    const clock = (hours: number) =>
      new Date(Date.now() + hours * 3_600_000).toISOString().slice(11, 16);
    const times = `tz = 'Etc/UTC', dnd_enabled = true, dnd_start = '${clock(-2)}', dnd_end = '${clock(2)}'`;
    await scene.write("users", times, `id = '${AGENT}'`);
    const session: any = await scene.agent.dnd.info({});

    await scene.agent.dnd.endDnd();

    const next: any = await scene.agent.dnd.info({});
    expect(session.next_dnd_start_ts).toBeLessThan(now());
    expect(session.next_dnd_end_ts).toBeGreaterThan(now());
    expect(session.next_dnd_end_ts - session.next_dnd_start_ts).toBe(4 * 3_600);
    expect(next.next_dnd_start_ts).toBe(session.next_dnd_start_ts + 86_400);
    expect((await refused(scene.agent.dnd.endDnd())).error).toBe("not_in_dnd");
  });

  test("is returned for several users", async () => {
    const scene = await newScene();
    await scene.write("users", "dnd_enabled = true", `id = '${ROBIN}'`);

    const { users }: any = await scene.agent.dnd.teamInfo({ users: `${JOHN},${ROBIN},U99NOBODY` });

    expect(Object.keys(users).toSorted()).toEqual([JOHN, ROBIN]);
    expect(users[JOHN]).toEqual({ dnd_enabled: false, next_dnd_start_ts: 1, next_dnd_end_ts: 1 });
    // From 22:00 to 8:00.
    expect(users[ROBIN].next_dnd_end_ts - users[ROBIN].next_dnd_start_ts).toBe(10 * 3_600);
  });
});
