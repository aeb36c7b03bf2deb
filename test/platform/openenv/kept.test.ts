/** Players without a connection end when their environments do, and those that one plays do not. */
import { afterEach, beforeEach, expect, type Mock, spyOn, test } from "bun:test";
import { createEpisodes } from "~/platform/openenv/episodes";
import { EPISODE_SECONDS } from "~/platform/openenv/player";
import { createSessions } from "~/platform/openenv/sessions";

const suite = { suiteId: "s" } as never;
const by = { keyId: "k", authenticate: async () => ({}) as never, baseUrl: "" };

let now: number;
let clock: Mock<() => number>;
beforeEach(() => {
  now = 1_000_000;
  clock = spyOn(performance, "now").mockImplementation(() => now);
});
afterEach(() => clock.mockRestore());

const passes = (seconds: number) => {
  now += seconds * 1_000;
};

/** Players that note who has ended. */
function createPlayers() {
  const ended: number[] = [];
  let opened = 0;
  const open = () => {
    const nth = opened++;
    return {
      end: () => void ended.push(nth),
      reset: async ({ episode_id: id }: { episode_id?: string }) => ({ observation: { id } }),
      step: async ({ type }: { type: string }) => ({ done: type === "submit" }),
      state: () => ({ episode_id: "one", step_count: nth }),
    };
  };
  return { ended, players: { open } as never };
}

test("a session ends after the life of an environment without use, when another is created", () => {
  const { ended, players } = createPlayers();
  const sessions = createSessions(players);
  const used = sessions.create("ann", by, suite);
  sessions.create("ann", by, suite);

  passes(EPISODE_SECONDS - 1);
  expect(sessions.player("ann", suite, used)).toBeDefined();
  passes(2);
  sessions.create("ann", by, suite);

  expect(ended).toEqual([1]);
});

test("a session that a connection plays does not expire, until it has left", () => {
  const { ended, players } = createPlayers();
  const sessions = createSessions(players);
  const joined = sessions.join("ann", suite, sessions.create("ann", by, suite));

  passes(2 * EPISODE_SECONDS);
  sessions.create("ann", by, suite);
  expect(ended).toEqual([]);

  joined?.leave();
  passes(EPISODE_SECONDS - 1);
  sessions.create("ann", by, suite);
  expect(ended).toEqual([]);
  passes(2);
  sessions.create("ann", by, suite);
  expect(ended).toEqual([0, 1]);
});

test("a session has one connection at a time, and belongs to its user", () => {
  const sessions = createSessions(createPlayers().players);
  const id = sessions.create("ann", by, suite);
  const joined = sessions.join("ann", suite, id);

  expect(joined).toBeDefined();
  expect(sessions.join("ann", suite, id)).toBeUndefined();
  expect(sessions.join("bob", suite, id)).toBeUndefined();
  joined?.leave();
  expect(sessions.join("ann", suite, id)).toBeDefined();
});

test("a session that is closed while it is played ends with its connection", () => {
  const { ended, players } = createPlayers();
  const sessions = createSessions(players);
  const id = sessions.create("ann", by, suite);
  const joined = sessions.join("ann", suite, id);

  expect(sessions.close("ann", suite, id)).toBe("closing");
  expect(ended).toEqual([]);
  joined?.leave();

  expect(ended).toEqual([0]);
  expect(sessions.close("ann", suite, id)).toBeUndefined();
  const idle = sessions.create("ann", by, suite);
  expect(sessions.close("ann", suite, idle)).toBe("closed");
  expect(ended).toEqual([0, 1]);
});

test("an episode over HTTP ends with its last step, its id's next reset, or its environment", async () => {
  const { ended, players } = createPlayers();
  const episodes = createEpisodes(players);
  const reset = () => episodes.reset("ann", by, suite, { episode_id: "one" } as never);
  const step = (type: string) => episodes.step("ann", suite, "one", { type } as never);

  await reset();
  await step("call_tool");
  expect(episodes.state("ann", suite, "one")).toEqual({ episode_id: "one", step_count: 0 });
  expect(episodes.state("bob", suite, "one").episode_id).toBeNull();
  await reset();
  expect(ended).toEqual([0]);
  await step("submit");
  expect(ended).toEqual([0, 1]);
  await expect(step("submit")).rejects.toThrow("no such episode");

  await reset();
  passes(EPISODE_SECONDS + 1);
  await episodes.reset("ann", by, suite, {} as never);
  expect(ended).toEqual([0, 1, 2]);
});
