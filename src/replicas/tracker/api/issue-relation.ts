/** Relations between issues. */

import { capitalized } from "~/capitalized";
import type { Resolvers } from "~/graphql/resolvers";
import {
  changeRow,
  createRow,
  type Given,
  type Optional,
  type Target,
} from "~/replicas/tracker/change";
import type { Context } from "~/replicas/tracker/context";
import { invalidArgument, invalidInput } from "~/replicas/tracker/errors";
import { updateIssues } from "~/replicas/tracker/issues/update";
import { requireOneOf, requireRow } from "~/replicas/tracker/require";
import type { Row } from "~/replicas/tracker/store/entities";
import { writeEffects } from "~/replicas/tracker/store/issues/effects";
import { isRelated } from "~/replicas/tracker/store/issues/relations";
import { listStates } from "~/replicas/tracker/store/states";
import { deleteRows } from "~/replicas/tracker/store/write";

type Relation = {
  readonly id?: Optional<string>;
  readonly issueId: string;
  readonly relatedIssueId: string;
  readonly type: string;
};

const TYPES = ["blocks", "duplicate", "related", "similar"];
/** The name of a relation in the history of the other issue. */
const INVERSE: Readonly<Record<string, string>> = { blocks: "blocked", duplicate: "duplicateOf" };

async function requireNew(context: Context, { id, issueId, relatedIssueId, type }: Relation) {
  requireOneOf("type", type, TYPES);
  if (issueId === relatedIssueId)
    throw invalidArgument(
      "relatedIssueId",
      relatedIssueId,
      "notEquals",
      "relatedIssueId cannot have the same value as issueId",
    );
  const symmetric = type === "related" || type === "similar";
  if (await isRelated(context.session, { issueId, relatedIssueId, type }, symmetric, id ?? ""))
    throw invalidInput("The issues already have this relation");
}

/** Records the change in both issues, and notifies the followers of a blocked one. */
async function remember(
  { session, viewer, now }: Context,
  one: Row<"Issue">,
  other: Row<"Issue">,
  type: string,
  { isAdded }: { readonly isAdded: boolean },
): Promise<void> {
  const change = (identifier: unknown, kind: string) => [
    { identifier, type: `${isAdded ? "added" : "removed"}${capitalized(kind)}` },
  ];
  const isBlocking = type === "blocks";
  await writeEffects(
    session,
    {
      history: [
        { issueId: one.id, relationChanges: change(other["identifier"], type) },
        { issueId: other.id, relationChanges: change(one["identifier"], INVERSE[type] ?? type) },
      ],
      notices: isBlocking
        ? [
            {
              type: isAdded ? "issueBlocking" : "issueUnblocked",
              issueId: other.id,
              subscribersBut: [],
            },
          ]
        : [],
    },
    { actor: viewer.id, now },
  );
}

/** Closes a duplicate: in its team's duplicate state, or a canceled one. */
async function closeDuplicate(context: Context, issue: Row<"Issue">): Promise<void> {
  const states = await listStates(context.session, issue["teamId"]);
  const state =
    states.find(({ type }) => type === "duplicate") ??
    states.find(({ type }) => type === "canceled");
  if (state) await updateIssues(context, [issue.id], { stateId: state.id });
}

export const issueRelations: Resolvers<Context> = {
  Mutation: {
    issueRelationCreate: async (
      _source,
      { input, overrideCreatedAt }: Given<Relation> & { overrideCreatedAt?: Optional<Date> },
      context,
    ) => {
      const issue = await requireRow(context, "Issue", input.issueId);
      const related = await requireRow(context, "Issue", input.relatedIssueId);
      const ends = { issueId: issue.id, relatedIssueId: related.id, type: input.type };
      await requireNew(context, ends);
      const issueRelation = await createRow(context, "IssueRelation", {
        ...ends,
        id: input.id,
        createdAt: overrideCreatedAt,
      });
      await remember(context, issue, related, input.type, { isAdded: true });
      if (input.type === "duplicate") await closeDuplicate(context, issue);
      return { issueRelation };
    },

    issueRelationUpdate: async (
      _source,
      { id, input }: Target & Given<Partial<Relation>>,
      context,
    ) => {
      const relation = await requireRow(context, "IssueRelation", id);
      const end = async (name: "issueId" | "relatedIssueId") =>
        await requireRow(context, "Issue", input[name] ?? relation[name]);
      const [issue, related] = [await end("issueId"), await end("relatedIssueId")];
      const type = input.type ?? relation["type"];
      const ends = { issueId: issue.id, relatedIssueId: related.id, type };
      await requireNew(context, { ...ends, id: relation.id });
      const issueRelation = await changeRow(context, "IssueRelation", relation, ends);
      if (type === "duplicate") await closeDuplicate(context, issue);
      return { issueRelation };
    },

    issueRelationDelete: async (_source, { id }: Target, context) => {
      const relation = await requireRow(context, "IssueRelation", id);
      const issue = await requireRow(context, "Issue", relation["issueId"]);
      const related = await requireRow(context, "Issue", relation["relatedIssueId"]);
      await deleteRows(context.session, "IssueRelation", [relation.id]);
      await remember(context, issue, related, relation["type"], { isAdded: false });
      return { entityId: relation.id };
    },
  },
};
