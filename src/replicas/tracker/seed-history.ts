/** The history of a seed's issues, as far as their times imply it: when each began, was completed or canceled. */
import { derivedId } from "~/replicas/tracker/ids";
import { isClosed } from "~/replicas/tracker/issues/transition";
import type { Item } from "~/replicas/tracker/seed-types";
import type { Values } from "~/replicas/tracker/store/entities";

export type Made = { readonly item: Item; readonly row: Values };

/** A change of state. `row`: of the history, if the seed has it. */
type Step = { readonly at: string; readonly stateId: unknown; readonly row?: Values };

/**
 * The history of all issues: the changes that the seed names, and those that it implies. An issue whose times contradict
 * its state gets no more than the former.
 */
export function historyOf(made: readonly Made[]): Values[] {
  const rowsOf = (type: string) =>
    made.filter(({ item }) => item.section.type === type).map(({ row }) => row);
  const states = new Map(rowsOf("WorkflowState").map((state) => [state["id"], state]));
  const started = rowsOf("WorkflowState")
    .filter(({ type }) => type === "started")
    .toSorted((a, b) => Number(a["position"]) - Number(b["position"]));
  const teams = new Map(rowsOf("Team").map((team) => [team["id"], team]));
  const named = Map.groupBy(rowsOf("IssueHistory"), ({ issueId }) => issueId);
  return rowsOf("Issue").flatMap((issue) => {
    const given = named.get(issue["id"]) ?? [];
    const team = teams.get(issue["teamId"]);
    const type = states.get(issue["stateId"])?.["type"];
    const first = started.find(({ teamId }) => teamId === issue["teamId"]);
    const steps = stepsOf(issue, given, { type: String(type), started: first?.["id"] });
    if (steps.at(-1)?.stateId !== issue["stateId"]) return given;
    const others = given.filter(({ toStateId }) => toStateId === undefined);
    return [...others, ...chained(issue, team?.["defaultIssueStateId"], steps)];
  });
}

/** The changes of an issue's state in their order. `type`: of its state now. `started`: the state of work. */
function stepsOf(
  { startedAt, completedAt, canceledAt, stateId }: Values,
  given: readonly Values[],
  { type, started }: { readonly type: string; readonly started: unknown },
): Step[] {
  const named = given
    .filter(({ toStateId }) => toStateId !== undefined)
    .map((row) => ({ at: String(row["createdAt"]), stateId: row["toStateId"], row }));
  const closedAt = completedAt ?? canceledAt;
  const implied: Step[] = [
    ...(startedAt === undefined
      ? []
      : [
          {
            at: String(startedAt),
            stateId: type === "started" && !named.length ? stateId : started,
          },
        ]),
    ...(closedAt !== undefined && isClosed(type) ? [{ at: String(closedAt), stateId }] : []),
  ];
  const isNamed = ({ at }: Step) => named.some((step) => step.at === at);
  return [...named, ...implied.filter((step) => !isNamed(step))].toSorted((a, b) =>
    a.at.localeCompare(b.at),
  );
}

/** Rows of the history, each from the state of the one before. */
function chained(issue: Values, first: unknown, steps: readonly Step[]): Values[] {
  const { id: issueId, assigneeId, creatorId } = issue;
  let from = first;
  return steps.map(({ at, stateId, row }) => {
    const change = { fromStateId: from, toStateId: stateId };
    from = stateId;
    return {
      id: derivedId("IssueHistory", String(issueId), at),
      createdAt: at,
      updatedAt: at,
      issueId,
      actorId: assigneeId ?? creatorId,
      ...row,
      ...change,
    };
  });
}
