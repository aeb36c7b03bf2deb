/** The tracker's mutations as calls. Each selects the ids of what it wrote. */
import { isObject } from "~/input/json";
import type { Call, JsonObject, JsonValue } from "../model";

function request(
  name: string,
  kind: "mutation" | "query",
  parameters: string,
  field: string,
  variables: JsonObject,
): Call {
  const query = `${kind} ${parameters} { ${field} }`;
  return { name, arguments: { query, variables } };
}

const create = (name: string, type: string, entity: string) => (input: JsonObject) =>
  request(
    name,
    "mutation",
    `($input: ${type}!)`,
    `${name}(input: $input) { success ${entity} { id } }`,
    { input },
  );

const update = (name: string, type: string, entity: string) => (id: string, input: JsonObject) =>
  request(
    name,
    "mutation",
    `($id: String!, $input: ${type}!)`,
    `${name}(id: $id, input: $input) { success ${entity} { id } }`,
    { id, input },
  );

const one = (name: string, selection: string) => (id: string) =>
  request(name, "mutation", "($id: String!)", `${name}(id: $id) { success ${selection} }`, { id });

const label = (name: string) => (id: string, labelId: string) =>
  request(
    name,
    "mutation",
    "($id: String!, $labelId: String!)",
    `${name}(id: $id, labelId: $labelId) { success issue { id } }`,
    { id, labelId },
  );

export const mutation = {
  issueCreate: create("issueCreate", "IssueCreateInput", "issue"),
  issueUpdate: update("issueUpdate", "IssueUpdateInput", "issue"),
  issueArchive: one("issueArchive", "entity { id }"),
  issueDelete: one("issueDelete", "entity { id }"),
  issueAddLabel: label("issueAddLabel"),
  issueRemoveLabel: label("issueRemoveLabel"),
  issueLabelCreate: create("issueLabelCreate", "IssueLabelCreateInput", "issueLabel"),
  issueLabelUpdate: update("issueLabelUpdate", "IssueLabelUpdateInput", "issueLabel"),
  issueLabelDelete: one("issueLabelDelete", ""),
  issueRelationCreate: create("issueRelationCreate", "IssueRelationCreateInput", "issueRelation"),
  commentCreate: create("commentCreate", "CommentCreateInput", "comment"),
  commentDelete: one("commentDelete", ""),
  commentResolve: one("commentResolve", "comment { id }"),
  commentUnresolve: one("commentUnresolve", "comment { id }"),
  reactionCreate: create("reactionCreate", "ReactionCreateInput", "reaction"),
  workflowStateCreate: create("workflowStateCreate", "WorkflowStateCreateInput", "workflowState"),
  attachmentCreate: create("attachmentCreate", "AttachmentCreateInput", "attachment"),
  favoriteCreate: create("favoriteCreate", "FavoriteCreateInput", "favorite"),
  projectUpdateArchive: one("projectUpdateArchive", ""),
  comments: (id: string) =>
    request(
      "issue",
      "query",
      "($id: String!)",
      "issue(id: $id) { comments { nodes { id body user { id } } } }",
      { id },
    ),
};

/** The arguments of a mutation, whether recorded or written here. */
export function inputOf(call: Call): {
  id: JsonValue | undefined;
  labelId: JsonValue | undefined;
  input: JsonObject;
} {
  const { variables = {} } = call.arguments;
  const { id, labelId, input } = isObject(variables) ? (variables as JsonObject) : {};
  return { id, labelId, input: isObject(input) ? (input as JsonObject) : {} };
}
