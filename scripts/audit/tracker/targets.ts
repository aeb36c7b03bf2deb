/** Other targets of the tracker's calls, and how to remove a target. */
import {
  type Call,
  type JsonObject,
  type Preparation,
  type Tables,
  type Test,
  textOf,
} from "../model";
import { isUnrelated, rows } from "../moves";
import { inputOf, mutation } from "./calls";
import { ENG, idOf, issuesOf, OPS } from "./world";

/** True if the input of an update changes something of this issue. */
const changes = (issue: JsonObject, input: JsonObject) =>
  Object.entries(input).some(([column, value]) => column in issue && issue[column] !== value);

function otherTargets(
  id: string,
  world: Tables,
  test: Test,
): { own: JsonObject | undefined; others: JsonObject[] } {
  const all = issuesOf(world);
  const own = rows(world, "issues").find((row) => row["id"] === id || row["identifier"] === id);
  const others = all.filter((row) => isUnrelated(test, row["id"], `"${row["identifier"]}"`));
  return {
    own,
    // Of the same team first: its states, labels and cycles fit.
    others: others.toSorted(
      (a, b) => Number(b["teamId"] === own?.["teamId"]) - Number(a["teamId"] === own?.["teamId"]),
    ),
  };
}

export function elsewhere(call: Call, world: Tables, test: Test): Call[] {
  const { id, labelId, input } = inputOf(call);
  const team = input["teamId"] === ENG ? OPS : ENG;
  const { others } = otherTargets(textOf(id), world, test);
  const assigned = (issue: JsonObject, label: unknown) =>
    rows(world, "issue_label_assignments").some(
      (row) => row["issueId"] === issue["id"] && row["labelId"] === label,
    );
  const comments = rows(world, "comments").filter(
    (row) => isUnrelated(test, row["id"]) && row["archivedAt"] === null && row["issueId"] !== null,
  );
  const { addedLabelIds: added = [], removedLabelIds: removed = [] } = input as {
    [name: string]: string[];
  };
  switch (call.name) {
    case "issueUpdate":
      return others
        .filter(
          (row) =>
            changes(row, input) ||
            (added.length > 0 &&
              !added.some((label) => assigned(row, label)) &&
              removed.every((label) => assigned(row, label))),
        )
        .map((row) => mutation.issueUpdate(idOf(row), input));
    case "issueArchive":
      return others.map((row) => mutation.issueArchive(idOf(row)));
    case "issueAddLabel":
      return others
        .filter((row) => !assigned(row, labelId))
        .map((row) => mutation.issueAddLabel(idOf(row), textOf(labelId)));
    case "issueRemoveLabel":
      return others
        .filter((row) => assigned(row, labelId))
        .map((row) => mutation.issueRemoveLabel(idOf(row), textOf(labelId)));
    case "issueCreate": {
      const { stateId, cycleId, projectId, parentId, ...rest } = input;
      return [mutation.issueCreate({ ...rest, teamId: team })];
    }
    case "issueLabelCreate": {
      const { parentId, teamId, ...rest } = input;
      const groups = rows(world, "issue_labels").filter(
        (row) => row["isGroup"] && isUnrelated(test, row["id"]),
      );
      return parentId
        ? groups.map((row) =>
            mutation.issueLabelCreate({
              ...rest,
              parentId: idOf(row),
              ...(row["teamId"] && { teamId: row["teamId"] }),
            }),
          )
        : [mutation.issueLabelCreate({ ...rest, teamId: team })];
    }
    case "issueLabelUpdate":
      return rows(world, "issue_labels")
        .filter((row) => isUnrelated(test, row["id"]) && !row["isGroup"])
        .map((row) => mutation.issueLabelUpdate(idOf(row), input));
    case "issueRelationCreate":
      return otherTargets(textOf(input["relatedIssueId"]), world, test).others.map((row) =>
        mutation.issueRelationCreate({ ...input, relatedIssueId: idOf(row) }),
      );
    case "commentCreate": {
      const { issueId, parentId, projectUpdateId, ...rest } = input;
      if (projectUpdateId)
        return rows(world, "project_updates")
          .filter((row) => isUnrelated(test, row["id"]))
          .map((row) => mutation.commentCreate({ ...rest, projectUpdateId: idOf(row) }));
      return otherTargets(textOf(issueId), world, test).others.map((row) =>
        mutation.commentCreate({ ...rest, issueId: idOf(row) }),
      );
    }
    case "commentResolve":
      return comments
        .filter((row) => row["parentId"] === null && row["resolvedAt"] === null)
        .map((row) => mutation.commentResolve(idOf(row)));
    case "commentUnresolve":
      return comments
        .filter((row) => row["resolvedAt"] !== null)
        .map((row) => mutation.commentUnresolve(idOf(row)));
    case "reactionCreate":
      return comments.map((row) => mutation.reactionCreate({ ...input, commentId: idOf(row) }));
    case "workflowStateCreate":
      return [mutation.workflowStateCreate({ ...input, teamId: team })];
    default:
      return [];
  }
}

export function remove(call: Call, world: Tables): Preparation | undefined {
  const { id, input } = inputOf(call);
  const admins = rows(world, "users")
    .filter(({ admin, active }) => admin && active)
    .map(idOf);
  const by = (step: Call) => ({ call: step, as: admins });
  const byAuthor = (commentId: unknown) => ({
    call: mutation.commentDelete(textOf(commentId)),
    as: [
      textOf(rows(world, "comments").find((row) => row["id"] === commentId)?.["userId"]),
      ...admins,
    ],
  });
  if (call.name.startsWith("issueLabel")) {
    const label = id ?? input["parentId"];
    return label ? by(mutation.issueLabelDelete(textOf(label))) : undefined;
  }
  if (call.name === "commentResolve" || call.name === "commentUnresolve") return byAuthor(id);
  if (call.name === "reactionCreate") return byAuthor(input["commentId"]);
  if (input["projectUpdateId"])
    return by(mutation.projectUpdateArchive(textOf(input["projectUpdateId"])));
  const issue = id ?? input["relatedIssueId"] ?? input["issueId"] ?? input["parentId"];
  return issue ? by(mutation.issueDelete(textOf(issue))) : undefined;
}
