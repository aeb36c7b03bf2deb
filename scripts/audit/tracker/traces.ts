/** The traces that acknowledged calls of the tracker must have left. */
import { type Answer, type Call, type JsonObject, type Trace, textOf } from "../model";
import { inputOf } from "./calls";

type Kind = Trace["kind"];

export function traces(call: Call, { body }: Answer, actor: string): Trace[] {
  const { name } = call;
  const { id, labelId, input } = inputOf(call);
  const answer = body.data[name];
  const one = (
    kind: Kind,
    table: string,
    key: JsonObject,
    values: JsonObject = {},
    columns: string[] = [],
  ) => [{ kind, table, key, values, columns }];
  const label = (kind: Kind, issueId: unknown, of: unknown) =>
    one(kind, "issue_label_assignments", { issueId: textOf(issueId), labelId: textOf(of) });
  switch (name) {
    case "issueCreate":
      return one("added", "issues", { id: answer.issue.id }, { title: input["title"] ?? null });
    case "issueUpdate": {
      const { addedLabelIds = [], removedLabelIds = [], ...values } = input;
      return [
        ...(Object.keys(values).length > 0
          ? one("changed", "issues", { id: answer.issue.id }, values)
          : []),
        ...(addedLabelIds as string[]).flatMap((of) => label("added", answer.issue.id, of)),
        ...(removedLabelIds as string[]).flatMap((of) => label("removed", answer.issue.id, of)),
      ];
    }
    case "issueArchive":
    case "issueDelete":
      return one("changed", "issues", { id: answer.entity.id }, {}, ["archivedAt"]);
    case "issueAddLabel":
      return label("added", answer.issue.id, labelId);
    case "issueRemoveLabel":
      return label("removed", answer.issue.id, labelId);
    case "issueLabelCreate":
      return one(
        "added",
        "issue_labels",
        { id: answer.issueLabel.id },
        { name: input["name"] ?? null },
      );
    case "issueLabelUpdate":
      return one("changed", "issue_labels", { id: textOf(id) }, input);
    case "issueLabelDelete":
      return one("removed", "issue_labels", { id: textOf(id) });
    case "issueRelationCreate":
      return one("added", "issue_relations", { id: answer.issueRelation.id });
    case "commentCreate":
      return one(
        "added",
        "comments",
        { id: answer.comment.id },
        { body: input["body"] ?? null, userId: actor },
      );
    case "commentDelete":
      return one("removed", "comments", { id: textOf(id) });
    case "commentResolve":
    case "commentUnresolve":
      return one("changed", "comments", { id: textOf(id) }, {}, ["resolvedAt"]);
    case "reactionCreate":
      return one("added", "reactions", { id: answer.reaction.id });
    case "workflowStateCreate":
      return one("added", "workflow_states", { id: answer.workflowState.id });
    case "attachmentCreate":
      return one("added", "attachments", { id: answer.attachment.id });
    case "favoriteCreate":
      return one("added", "favorites", { id: answer.favorite.id });
    default:
      throw new Error(`${name}: nothing says what it leaves`);
  }
}
