/** The state of an issue in a new team: the nearest one that there is. */
import { describe, expect, test } from "bun:test";
import { stateAfter } from "~/replicas/tracker/issues/placement";

const state = (id: string, teamId: string, type: string) => ({
  id,
  teamId,
  type,
  name: id,
  position: 0,
});
const OLD = [
  state("old first", "old", "unstarted"),
  state("old todo", "old", "unstarted"),
  state("old done", "old", "completed"),
];

function movedTo(states: ReturnType<typeof state>[], team: object, update: object = {}) {
  const lookups = { states: [...OLD, ...states] };
  return stateAfter(
    "old todo",
    update as never,
    lookups as never,
    { id: "new", key: "NEW", defaultIssueStateId: null, ...team } as never,
  ).id;
}

describe("an issue that moves into another team gets", () => {
  const started = state("doing", "new", "started");
  const triage = state("inbox", "new", "triage");
  const same = state("todo", "new", "unstarted");
  const later = state("todo later", "new", "unstarted");

  test.each([
    [
      "the first state of the same type",
      [started, same, later],
      { defaultIssueStateId: "doing" },
      "todo",
    ],
    ["else the default of the team", [started, triage], { defaultIssueStateId: "inbox" }, "inbox"],
    ["else the first one", [started, triage], {}, "doing"],
    [
      "else the first one, for a default that is not there",
      [started, triage],
      { defaultIssueStateId: "old done" },
      "doing",
    ],
    ["the same state if it stays", [started, same], { id: "old" }, "old todo"],
  ])("%s", (_case, states, team, expected) => {
    expect(movedTo(states, team)).toBe(expected);
  });

  test("a rejection if the team has no state", () => {
    expect(() => movedTo([], {})).toThrow("The team NEW has no workflow state");
  });

  test("the state that is named, which must be of the team", () => {
    expect(movedTo([started, same], {}, { stateId: "doing" })).toBe("doing");
    expect(() => movedTo([started, same], {}, { stateId: "old done" })).toThrow("Discrepancy");
  });
});
