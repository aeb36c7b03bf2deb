import { describe, expect, test } from "bun:test";
import { InvalidInputLinearError, UserLinearError } from "@linear/sdk";
import { useSharedDatabase } from "../../support/database";
import { DES, ENG, JOHN, refusal, useTracker } from "../../support/tracker";

const tracker = useTracker(useSharedDatabase());

describe("workflow states", () => {
  test("the viewer is the environment's user", async () => {
    const viewer = await tracker.linear.viewer;

    expect(viewer.id).toBe(JOHN);
  });

  test("a state is created, read, changed and archived", async () => {
    const payload = await tracker.linear.createWorkflowState({
      teamId: ENG,
      name: "In Review",
      type: "started",
      color: "#abcdef",
    });
    const state = await payload.workflowState;
    expect(payload.success).toBe(true);
    expect(state).toMatchObject({ name: "In Review", type: "started", color: "#abcdef" });
    expect((await state?.team)?.key).toBe("ENG");

    await state?.update({ name: "Reviewing" });
    expect((await tracker.linear.workflowState(state!.id)).name).toBe("Reviewing");

    await state?.archive();
    const left = await tracker.linear.workflowStates({ filter: { team: { id: { eq: ENG } } } });
    expect(left.nodes.map(({ name }) => name)).not.toContain("Reviewing");
  });

  test.each([
    ["a name that is taken", { name: "todo" }, /already has/],
    ["an invalid type", { type: "triage" }, /type must be one of/],
    ["a team's key for its id", { teamId: "ENG" }, /teamId must be a UUID/],
    [
      "a team that does not exist",
      { teamId: "c0000000-0000-4000-8000-00000000000f" },
      /teamId contained an entry that could not be found/,
    ],
  ])("rejects %s", async (_case, change, message) => {
    const input = { teamId: ENG, name: "New", type: "started", color: "#fff", ...change };
    const error = await refusal(tracker.linear.createWorkflowState(input));

    expect(error).toBeInstanceOf(InvalidInputLinearError);
    expect(error.message).toMatch(message);
  });

  test("the last of its type cannot be archived, nor one with issues", async () => {
    const states = await tracker.linear.workflowStates({ filter: { team: { id: { eq: DES } } } });
    const backlog = states.nodes.find(({ type }) => type === "backlog");
    const todo = states.nodes.find(({ type }) => type === "unstarted");

    expect(await refusal(backlog!.archive())).toBeInstanceOf(UserLinearError);
    expect(await refusal(todo!.archive())).toBeInstanceOf(UserLinearError);
  });
});
