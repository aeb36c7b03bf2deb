import { describe, expect, test } from "bun:test";
import {
  FeatureNotAccessibleLinearError,
  InvalidInputLinearError,
  UserLinearError,
} from "@linear/sdk";
import { useSharedDatabase } from "../../../support/database";
import { refusal, useTracker } from "../../../support/tracker";

const tracker = useTracker(useSharedDatabase(), "tracker_expanded");
const PRODUCT = "c0000000-0000-4000-8000-000000000011";
const OPERATIONS = "c0000000-0000-4000-8000-000000000012";
const DAY_MS = 24 * 60 * 60 * 1000;
const inDays = (days: number) => new Date(Date.now() + days * DAY_MS);

/** The cycles that an issue left and entered, by its history. */
const moves = async (id: string) =>
  (await (await tracker.linear.issue(id)).history()).nodes.map((row) => [
    row.fromCycleId,
    row.toCycleId,
  ]);

/** Consecutive periods of one week, so that tests do not overlap. */
let lastDay = 100;
const newCycle = async (input: object = {}) => {
  lastDay += 10;
  const span = { startsAt: inDays(lastDay), endsAt: inDays(lastDay + 7) };
  const payload = await tracker.linear.createCycle({ teamId: PRODUCT, ...span, ...input });
  return (await payload.cycle)!;
};

describe("a cycle", () => {
  test("is numbered in its team, and neither active nor past before it starts", async () => {
    const first = await newCycle({ name: "Hardening" });
    const second = await newCycle();

    expect(first).toMatchObject({
      name: "Hardening",
      isActive: false,
      isPast: false,
      isFuture: true,
    });
    expect(second.number).toBe(first.number + 1);
    expect((await second.team)?.key).toBe("ENG");
  });

  test("of the seed are completed or past, and have issues and progress", async () => {
    const cycles = await tracker.linear.cycles({ filter: { number: { eq: 2 } } });
    const [cycle] = cycles.nodes;

    expect(cycle).toMatchObject({ name: "Invoice fortnight", isPast: true, progress: 1 });
    const issues = await cycle!.issues();
    expect(issues.nodes.map(({ identifier }) => identifier).toSorted()).toEqual([
      "ENG-13",
      "ENG-33",
      "ENG-7",
    ]);
    expect(cycle!.scopeHistory.length).toBe(15);
    expect(cycle!.completedScopeHistory.at(-1)).toBe(16);
  });

  test("is rejected when it overlaps, ends before it starts, or its team has no cycles", async () => {
    const cycle = await newCycle();

    const overlap = { startsAt: cycle.startsAt, endsAt: inDays(lastDay + 1) };
    expect(await refusal(newCycle(overlap))).toBeInstanceOf(InvalidInputLinearError);
    expect(await refusal(newCycle({ endsAt: inDays(1) }))).toBeInstanceOf(InvalidInputLinearError);
    const without = await refusal(newCycle({ teamId: OPERATIONS }));
    expect(without).toBeInstanceOf(FeatureNotAccessibleLinearError);
    expect(without.message).toBe("Cycles are not enabled for the team Operations.");
    expect(await refusal(cycle.update({ endsAt: inDays(1) }))).toBeInstanceOf(
      InvalidInputLinearError,
    );
    expect((await tracker.linear.cycle(cycle.id)).endsAt).toEqual(cycle.endsAt);
  });

  test("that is completed records its open issues, and moves them to the next one", async () => {
    const [cycle, next] = [await newCycle(), await newCycle()];
    const issue = (await (
      await tracker.linear.createIssue({ teamId: PRODUCT, title: "Left over", cycleId: cycle.id })
    ).issue)!;

    await cycle.update({ completedAt: new Date() });

    const moved = await tracker.linear.issue(issue.id);
    expect((await moved.cycle)?.id).toBe(next.id);
    expect(await moves(issue.id)).toEqual([[cycle.id, next.id]]);
    const left = await (await tracker.linear.cycle(cycle.id)).uncompletedIssuesUponClose();
    expect(left.nodes.map(({ id }) => id)).toEqual([issue.id]);
  });

  test("that is archived releases its issues", async () => {
    const cycle = await newCycle();
    const issue = (await (
      await tracker.linear.createIssue({ teamId: PRODUCT, title: "Unplanned", cycleId: cycle.id })
    ).issue)!;

    await cycle.archive();

    expect(await (await tracker.linear.issue(issue.id)).cycle).toBeUndefined();
    expect(await moves(issue.id)).toEqual([[cycle.id, undefined]]);
    expect((await tracker.linear.cycle(cycle.id)).archivedAt).toBeInstanceOf(Date);
  });

  test("moves with all later ones", async () => {
    const [before, cycle, later] = [await newCycle(), await newCycle(), await newCycle()];

    await tracker.linear.cycleShiftAll({ id: cycle.id, daysToShift: 2 });

    const shift = async ({ id, startsAt }: typeof cycle) =>
      (Number((await tracker.linear.cycle(id)).startsAt) - Number(startsAt)) / DAY_MS;
    expect([await shift(before), await shift(cycle), await shift(later)]).toEqual([0, 2, 2]);
    const tooFar = tracker.linear.cycleShiftAll({ id: cycle.id, daysToShift: -9 });
    expect(await refusal(tooFar)).toBeInstanceOf(InvalidInputLinearError);
    const endless = tracker.linear.cycleShiftAll({ id: cycle.id, daysToShift: 1e9 });
    expect((await refusal(endless)).message).toContain("in the years 1 to 9999");
    expect(await shift(later)).toBe(2);
  });

  test("that comes next starts today, and completes the current one", async () => {
    const running = await newCycle({ startsAt: inDays(-3), endsAt: inDays(4) });
    const issue = (await (
      await tracker.linear.createIssue({ teamId: PRODUCT, title: "Goes on", cycleId: running.id })
    ).issue)!;
    const next = await newCycle({ startsAt: inDays(5), endsAt: inDays(12) });
    expect((await (await tracker.linear.team(PRODUCT)).activeCycle)?.id).toBe(running.id);
    expect((await tracker.linear.cycle(next.id)).isNext).toBe(true);

    await tracker.linear.cycleStartUpcomingCycleToday(next.id);

    expect((await (await tracker.linear.team(PRODUCT)).activeCycle)?.id).toBe(next.id);
    expect((await tracker.linear.cycle(running.id)).completedAt).toBeInstanceOf(Date);
    expect((await (await tracker.linear.issue(issue.id)).cycle)?.id).toBe(next.id);
    const far = await newCycle();
    expect(await refusal(tracker.linear.cycleStartUpcomingCycleToday(running.id))).toBeInstanceOf(
      UserLinearError,
    );
    expect((await tracker.linear.cycle(far.id)).isActive).toBe(false);
  });
});

describe("a team with cycles", () => {
  const spans = async (teamId: string) =>
    (await tracker.linear.cycles({ filter: { team: { id: { eq: teamId } } } })).nodes
      .toSorted((a, b) => a.number - b.number)
      .map(({ startsAt, endsAt }) => [startsAt, endsAt] as const);

  test("has the current and the upcoming ones, by its settings", async () => {
    const payload = await tracker.linear.createTeam({
      name: "Data",
      cyclesEnabled: true,
      cycleDuration: 1,
      cycleCooldownTime: 1,
      cycleStartDay: 3,
      upcomingCycleCount: 3,
    });
    const team = (await payload.team)!;

    const planned = await spans(team.id);
    expect(planned).toHaveLength(4);
    for (const [index, [startsAt, endsAt]] of planned.entries()) {
      expect(startsAt.getUTCDay()).toBe(3);
      expect((Number(endsAt) - Number(startsAt)) / DAY_MS).toBe(7);
      if (index > 0) expect((Number(startsAt) - Number(planned[index - 1]![0])) / DAY_MS).toBe(14);
    }
    expect(planned[0]![0].getTime()).toBeLessThanOrEqual(Date.now());
  });

  test.each([
    { cycleDuration: 1e9 },
    { cycleDuration: 0 },
    { cycleCooldownTime: 1e9 },
    { cycleCooldownTime: -1 },
    { autoArchivePeriod: 1e300 },
    { autoClosePeriod: 1e300 },
  ])("has settings within ranges: %p is rejected", async (settings) => {
    const name = "Extreme";
    const error = await refusal(
      tracker.linear.createTeam({ name, cyclesEnabled: true, ...settings }),
    );
    expect(error).toBeInstanceOf(InvalidInputLinearError);
    const team = (await (await tracker.linear.createTeam({ name: "Usual" })).team)!;
    expect(await refusal(team.update({ cyclesEnabled: true, ...settings }))).toBeInstanceOf(
      InvalidInputLinearError,
    );
  });

  test("gets them when cycles are enabled, and only then", async () => {
    const team = (await (await tracker.linear.createTeam({ name: "Later" })).team)!;
    expect(await spans(team.id)).toEqual([]);

    const start = new Date("2030-01-02T10:00:00Z");
    await team.update({ cyclesEnabled: true, cycleEnabledStartDate: start, upcomingCycleCount: 1 });
    expect((await spans(team.id)).map(([startsAt]) => startsAt.toISOString())).toEqual([
      "2030-01-02T00:00:00.000Z",
      "2030-01-16T00:00:00.000Z",
    ]);
    await team.update({ cyclesEnabled: true, name: "Later still" });
    expect(await spans(team.id)).toHaveLength(2);
  });
});
