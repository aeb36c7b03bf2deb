/** The history that a seed implies. */
import { expect, test } from "bun:test";
import { historyOf, type Made } from "~/replicas/tracker/seed-history";

const made = (type: string, row: object) =>
  ({ item: { section: { type } }, row }) as unknown as Made;
const state = (id: string, type: string, position: number) =>
  made("WorkflowState", { id, type, position, teamId: "team" });

test("an issue that was started got the first state of work, wherever the seed names it", () => {
  const states = [
    state("in review", "started", 3),
    state("in progress", "started", 2),
    state("done", "completed", 4),
    state("todo", "unstarted", 1),
    made("WorkflowState", { id: "elsewhere", type: "started", position: 0, teamId: "other" }),
  ];
  const issue = {
    ...{ id: "issue", teamId: "team", stateId: "done", creatorId: "ann", assigneeId: "bob" },
    ...{ startedAt: "2026-01-02T00:00:00Z", completedAt: "2026-01-03T00:00:00Z" },
  };
  const team = made("Team", { id: "team", defaultIssueStateId: "todo" });

  for (const order of [states, states.toReversed()])
    expect(historyOf([team, ...order, made("Issue", issue)])).toMatchObject([
      {
        ...{ fromStateId: "todo", toStateId: "in progress" },
        ...{ createdAt: issue.startedAt, actorId: "bob" },
      },
      {
        ...{ fromStateId: "in progress", toStateId: "done" },
        ...{ createdAt: issue.completedAt, actorId: "bob" },
      },
    ]);
});
