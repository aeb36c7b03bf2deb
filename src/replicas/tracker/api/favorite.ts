/** Favorites: one entity each, or a folder. */

import type { RowObject } from "~/graphql/page";
import type { Resolvers } from "~/graphql/resolvers";
import {
  changeRow,
  createRow,
  type Given,
  type Optional,
  type Target,
} from "~/replicas/tracker/change";
import type { Context } from "~/replicas/tracker/context";
import { invalidInput, notAccessible } from "~/replicas/tracker/errors";
import { requireGiven, requireRow } from "~/replicas/tracker/require";
import type { Changes, Entity, NewValues, Row } from "~/replicas/tracker/store/entities";
import { deleteFavorite, nextFavoriteOrder } from "~/replicas/tracker/store/favorites";
import { having } from "~/replicas/tracker/store/lookups";
import { columnsIn } from "~/replicas/tracker/store/write";
import { requireTarget, type TargetTypes } from "~/replicas/tracker/targets";
import { issueUrl, pageSlug, workspaceUrl } from "~/replicas/tracker/urls";

const TARGETS = {
  customViewId: "CustomView",
  customerId: "Customer",
  cycleId: "Cycle",
  documentId: "Document",
  initiativeId: "Initiative",
  initiativeLabelId: "InitiativeLabel",
  issueId: "Issue",
  labelId: "IssueLabel",
  projectId: "Project",
  projectLabelId: "ProjectLabel",
  releaseId: "Release",
  releaseNoteId: "ReleaseNote",
  releasePipelineId: "ReleasePipeline",
  teamId: "Team",
  userId: "User",
} as const satisfies TargetTypes;

/** Entities that never exist here. */
const ABSENT = [
  "aiConversationId",
  "dashboardId",
  "facetId",
  "pullRequestId",
  "workflowDefinitionId",
] as const;

/** The part of an address that leads to a page of this type. */
const PAGES: Readonly<Record<string, string>> = {
  CustomView: "view",
  Customer: "customer",
  Document: "document",
  Initiative: "initiative",
  Project: "project",
};

async function subjectOf(favorite: RowObject, { read }: Context) {
  const found = Object.entries<Entity>(TARGETS).find(([field]) => favorite[field]);
  if (!found) return undefined;
  const [field, type] = found;
  const row = await read.one(type, favorite[field] as string);
  return row && { type, row };
}

const titleOf = ({ title, name, number }: RowObject): string =>
  String(title ?? name ?? (number === undefined ? "" : `Cycle ${number}`));

async function urlOf(favorite: Row<"Favorite">, context: Context): Promise<string | null> {
  const subject = await subjectOf(favorite, context);
  if (!subject) return null;
  const { type, row } = subject;
  if (type === "Issue") return issueUrl(context, row);
  if (type === "Team") return workspaceUrl(context, "team", String(row["key"]));
  if (type === "User") return workspaceUrl(context, "profiles", String(row["displayName"]));
  const page = PAGES[type];
  return page ? workspaceUrl(context, page, pageSlug(titleOf(row), row["slugId"])) : null;
}

type Create = NewValues<"Favorite"> & { readonly [A in (typeof ABSENT)[number]]?: unknown };

/** A folder of the viewer. */
async function requireFolder(context: Context, id: Optional<string>): Promise<void> {
  const folder = await requireGiven(context, "Favorite", "parentId", id);
  if (folder && folder["type"] !== "folder")
    throw invalidInput("The parent of a favorite must be a folder");
}

/** The values that identify a favorite of a user. */
async function identityOf(
  context: Context,
  input: Create,
): Promise<Readonly<Record<string, string>>> {
  const absent = ABSENT.find((name) => input[name]);
  if (absent) throw notAccessible(absent.slice(0, -2));
  const { folderName, predefinedViewType, predefinedViewTeamId } = input;
  if (folderName) return { type: "folder", folderName };
  if (predefinedViewType) {
    const team = await requireGiven(context, "Team", "predefinedViewTeamId", predefinedViewTeamId);
    return {
      type: "predefinedView",
      predefinedViewType,
      ...(team && { predefinedViewTeamId: team.id }),
    };
  }
  const { field, row } = await requireTarget(context, TARGETS, input);
  return { type: field.slice(0, -2), [field]: row.id };
}

/** Removes other references from the input: a favorite has one target, and only that one was looked up. */
const withoutTargets = (input: Create): Changes<"Favorite"> =>
  columnsIn(
    "Favorite",
    Object.fromEntries(
      Object.entries(input).filter(
        ([name]) => !Object.hasOwn(TARGETS, name) && name !== "predefinedViewTeamId",
      ),
    ),
  );

export const favorites: Resolvers<Context> = {
  Favorite: {
    color: async (favorite: Row<"Favorite">, _args, context) =>
      (await subjectOf(favorite, context))?.row["color"],
    icon: async (favorite: Row<"Favorite">, _args, context) =>
      (await subjectOf(favorite, context))?.row["icon"],
    title: async (favorite: Row<"Favorite">, _args, context) => {
      const subject = await subjectOf(favorite, context);
      return subject
        ? titleOf(subject.row)
        : (favorite["folderName"] ?? favorite["predefinedViewType"] ?? "");
    },
    url: (favorite: Row<"Favorite">, _args, context) => urlOf(favorite, context),
  },
  Mutation: {
    favoriteCreate: async (_source, { input }: Given<Create>, context) => {
      const { id: ownerId } = context.viewer;
      const identity = await identityOf(context, input);
      const known =
        identity["type"] !== "folder" &&
        (await context.read.find("Favorite", having({ ownerId, ...identity })));
      if (known) return { favorite: known };
      await requireFolder(context, input.parentId);
      const favorite = await createRow(context, "Favorite", {
        ...withoutTargets(input),
        ...identity,
        ownerId,
        sortOrder: input.sortOrder ?? (await nextFavoriteOrder(context.session, ownerId)),
      });
      return { favorite };
    },

    favoriteUpdate: async (_source, { id, input }: Target & Given<Create>, context) => {
      const before = await requireRow(context, "Favorite", id);
      await requireFolder(context, input.parentId);
      if (input.parentId === before.id) throw invalidInput("A folder cannot be in itself");
      const changes = {
        ...columnsIn("Favorite", input),
        sortOrder: input.sortOrder ?? undefined,
      };
      return { favorite: await changeRow(context, "Favorite", before, changes) };
    },

    favoriteDelete: async (_source, { id }: Target, context) => {
      const favorite = await context.read.one("Favorite", id);
      if (favorite) await deleteFavorite(context.session, favorite.id);
      return { entityId: id };
    },
  },
};
