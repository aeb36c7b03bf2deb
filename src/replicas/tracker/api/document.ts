/** Documents, and the bodies of all entities that have one. */

import type { Resolvers } from "~/graphql/resolvers";
import { mutationsOf, type Rules } from "~/replicas/tracker/api/entity";
import { changeRow, type Target } from "~/replicas/tracker/change";
import type { Context } from "~/replicas/tracker/context";
import { invalidInput } from "~/replicas/tracker/errors";
import { requireGiven, requireRow } from "~/replicas/tracker/require";
import { treeOf } from "~/replicas/tracker/rich-text";
import type { NewValues, Row, Values } from "~/replicas/tracker/store/entities";
import { documentUrl } from "~/replicas/tracker/urls";

/** Possible parents of a document: one of these. */
const PLACES = ["initiativeId", "teamId", "issueId", "releaseId", "cycleId", "projectId"] as const;

const placesIn = (row: Values) => PLACES.filter((name) => (row[name] ?? null) !== null);
const notOnePlace = () =>
  invalidInput(
    `Exactly one of ${PLACES.slice(0, -1).join(", ")} or ${PLACES.at(-1)} must be defined`,
  );

const rules: Rules<"Document"> = {
  operations: ["create", "update", "delete", "unarchive"],
  place: "bottom",
  check: async (input: Values & { subscriberIds?: readonly string[] | null }, context, row) => {
    // A new document's null counts as well, as in the service; in a change it removes the parent.
    const named = row ? placesIn(input) : PLACES.filter((name) => name in input);
    if (named.length > 1) throw notOnePlace();
    for (const id of input.subscriberIds ?? [])
      await requireGiven(context, "User", "subscriberIds", id);
    if (row && input["parentDocumentId"] === row.id)
      throw invalidInput("A document cannot be inside itself");
    return undefined;
  },
  create: async (input: NewValues<"Document">, context) => {
    const above = input["parentDocumentId"]
      ? await requireRow(context, "Document", String(input["parentDocumentId"]))
      : undefined;
    const [place] = placesIn(input);
    if (!place && !above && !input["resourceFolderId"]) throw notOnePlace();
    const inherited =
      place || !above ? {} : Object.fromEntries(PLACES.map((name) => [name, above[name]]));
    const { id } = context.viewer;
    return {
      ...inherited,
      ownerId: input["ownerId"] ?? id,
      updatedById: id,
      subscriberIds: input["subscriberIds"] ?? [id],
    };
  },
  update: (_document, input: Values, { viewer }) => {
    const [place] = placesIn(input);
    const left = place ? PLACES.filter((name) => name !== place) : [];
    return { ...Object.fromEntries(left.map((name) => [name, null])), updatedById: viewer.id };
  },
};

type Share = Target & { readonly userIds: readonly string[] };

/** Shares a document with users, or stops sharing it. */
async function share(
  context: Context,
  { id, userIds }: Share,
  { isShared }: { readonly isShared: boolean },
) {
  const document = await requireRow(context, "Document", id);
  for (const userId of userIds) await requireGiven(context, "User", "userIds", userId);
  const had = document["sharedWithUserIds"];
  const others = had.filter((userId) => !userIds.includes(userId));
  const sharedWithUserIds = isShared ? [...new Set([...had, ...userIds])] : others;
  return { document: await changeRow(context, "Document", document, { sharedWithUserIds }) };
}

const contentState = (row: Row<"Document">) => treeOf(row, "content");

/** Earlier versions are not stored. */
const noHistory = async (context: Context, id: string) => {
  await requireRow(context, "DocumentContent", id);
  return { success: true, history: [], checkpoints: [] };
};

export const documents: Resolvers<Context> = {
  Document: {
    contentData: contentState,
    contentState,
    url: (document: Row<"Document">, _args, context) => documentUrl(context, document),
  },
  DocumentContent: {
    contentData: (row: Row<"DocumentContent">) => JSON.parse(contentState(row) ?? "null"),
    contentState,
  },
  Query: {
    documentContentHistory: (_source, { id }: Target, context) => noHistory(context, id),
    documentContentHistoryEntries: () => ({ success: true, history: [] }),
    documentContentHistoryTimeline: (_source, { id }: Target, context) => noHistory(context, id),
  },
  Mutation: {
    ...mutationsOf("Document", rules),
    documentShare: (_source, args: Share, context) => share(context, args, { isShared: true }),
    documentUnshare: (_source, args: Share, context) => share(context, args, { isShared: false }),
  },
};
