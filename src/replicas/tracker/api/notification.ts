/** Notifications. Users read only their own. */

import type { RowObject } from "~/graphql/page";
import type { Resolvers, TypeNames } from "~/graphql/resolvers";
import { colorOf, initialsOf } from "~/replicas/tracker/api/user";
import {
  archiveRow,
  changeRow,
  type Given,
  type Optional,
  restoreRow,
  type Target,
} from "~/replicas/tracker/change";
import type { Context } from "~/replicas/tracker/context";
import { invalidArgument } from "~/replicas/tracker/errors";
import { categoryOf, sentence, titleOf } from "~/replicas/tracker/notification-types";
import { requireRow } from "~/replicas/tracker/require";
import type { Changes, Entity, Row } from "~/replicas/tracker/store/entities";
import { having, inInbox } from "~/replicas/tracker/store/lookups";
import { subjectUrl, workspaceUrl } from "~/replicas/tracker/urls";

const SUBJECTS = [
  ["issueId", "Issue"],
  ["projectId", "Project"],
  ["initiativeId", "Initiative"],
  ["documentId", "Document"],
] as const;

/** The main subject of a notification. */
const notificationType = (row: RowObject) =>
  `${SUBJECTS.find(([key]) => row[key])?.[1] ?? "Issue"}Notification`;

const subjectOf = async (row: Row<"Notification">, { read }: Context) => {
  const [key, type] = SUBJECTS.find(([name]) => row[name]) ?? SUBJECTS[0];
  return { type, subject: await read.one<Entity>(type, row[key] as string) };
};

const actorOf = ({ actorId }: Row<"Notification">, { read }: Context) =>
  actorId ? read.one("User", actorId) : undefined;

const FIELDS: Resolvers<Context>[string] = {
  actorAvatarColor: ({ actorId }: Row<"Notification">) => colorOf(String(actorId ?? "000000")),
  actorAvatarUrl: async (row: Row<"Notification">, _args, context) =>
    (await actorOf(row, context))?.["avatarUrl"],
  actorInactive: async (row: Row<"Notification">, _args, context) =>
    (await actorOf(row, context))?.["active"] === false,
  actorInitials: async (row: Row<"Notification">, _args, context) => {
    const actor = await actorOf(row, context);
    return actor && initialsOf(String(actor["name"]));
  },
  category: ({ type }: Row<"Notification">) => categoryOf(String(type)),
  groupingKey: (row: Row<"Notification">) =>
    SUBJECTS.flatMap(([key]) => (row[key] ? [`${key}-${row[key]}`] : []))[0] ?? row.id,
  groupingPriority: () => 0,
  inboxUrl: (row: Row<"Notification">, _args, context) => workspaceUrl(context, "inbox", row.id),
  initiativeUpdateHealth: async ({ initiativeUpdateId }: Row<"Notification">, _args, { read }) =>
    initiativeUpdateId && (await read.one("InitiativeUpdate", initiativeUpdateId))?.["health"],
  isLinearActor: ({ actorId }: Row<"Notification">) => actorId === null,
  issueStatusType: async ({ issueId }: Row<"Notification">, _args, { read }) => {
    const issue = issueId ? await read.one("Issue", issueId) : undefined;
    if (!issue) return undefined;
    return (await read.one("WorkflowState", issue["stateId"], { evenHidden: true }))?.["type"];
  },
  projectUpdateHealth: async ({ projectUpdateId }: Row<"Notification">, _args, { read }) =>
    projectUpdateId && (await read.one("ProjectUpdate", projectUpdateId))?.["health"],
  subtitle: ({ type }: Row<"Notification">) => sentence(String(type)),
  title: async (row: Row<"Notification">, _args, context) => {
    const { subject } = await subjectOf(row, context);
    return subject ? titleOf(subject) : "";
  },
  url: async (row: Row<"Notification">, _args, context) => {
    const { type, subject } = await subjectOf(row, context);
    return subject ? subjectUrl(context, type, subject) : workspaceUrl(context);
  },
};

type About = {
  readonly [field in
    | "id"
    | "issueId"
    | "projectId"
    | "initiativeId"
    | "projectUpdateId"
    | "initiativeUpdateId"
    | "oauthClientApprovalId"]?: Optional<string>;
};

/** The viewer's notifications about one subject; `id` is one of them. */
async function listAbout(context: Context, input: About): Promise<readonly Row<"Notification">[]> {
  const { id, ...others } = input;
  const one = id ? await requireRow(context, "Notification", id) : undefined;
  const [key, value] =
    Object.entries(others).find(([, given]) => given) ??
    SUBJECTS.map(([name]) => [name, one?.[name]] as const).find(([, given]) => given) ??
    [];
  if (!key || typeof value !== "string")
    throw invalidArgument(
      "input",
      null,
      "isDefined",
      "input must name the subject of the notifications",
    );
  const subject = SUBJECTS.find(([name]) => name === key);
  if (!subject) return []; // OAuth clients do not ask for approval here.
  const about = (await requireRow(context, subject[1], value)).id;
  return await context.read.rows("Notification", {
    args: { includeArchived: true },
    where: having({ [key]: about }),
  });
}

/** Changes all notifications about one subject. */
async function changeAll(context: Context, input: About, changes: Changes<"Notification">) {
  const notifications: Row<"Notification">[] = [];
  for (const row of await listAbout(context, input))
    notifications.push(await changeRow(context, "Notification", row, changes));
  return { notifications };
}

type Update = { readonly readAt?: Optional<Date>; readonly snoozedUntilAt?: Optional<Date> };
type InboxUpdate = { readonly read?: Optional<boolean>; readonly snoozedUntilAt?: Optional<Date> };

export const notifications: Resolvers<Context> = {
  IssueNotification: FIELDS,
  ProjectNotification: FIELDS,
  InitiativeNotification: FIELDS,
  DocumentNotification: FIELDS,
  Query: {
    notificationsUnreadCount: (_source, _args, { read }) =>
      read.count("Notification", { args: {}, where: inInbox({ unreadOnly: true }) }),
    inboxNotifications: (_source, args: { unreadOnly?: Optional<boolean> }, { read }, info) => {
      return read.page("Notification", {
        args,
        where: inInbox({ unreadOnly: args.unreadOnly === true }),
        fields: info.nodes.fields,
      });
    },
  },
  Mutation: {
    notificationUpdate: async (_source, { id, input }: Target & Given<Update>, context) => {
      const row = await requireRow(context, "Notification", id);
      const { readAt, snoozedUntilAt } = input;
      return {
        notification: await changeRow(context, "Notification", row, { readAt, snoozedUntilAt }),
      };
    },
    inboxNotificationUpdate: async (
      _source,
      { id, input }: Target & Given<InboxUpdate>,
      context,
    ) => {
      const row = await requireRow(context, "Notification", id);
      const readAt = input.read === true ? (row["readAt"] ?? context.now) : null;
      const changes = {
        readAt: typeof input.read === "boolean" ? readAt : undefined,
        snoozedUntilAt: input.snoozedUntilAt,
      };
      const { notifications: updated } = await changeAll(context, { id: row.id }, changes);
      const notification = updated.find((one) => one.id === row.id) ?? row;
      return { notification, updatedNotifications: updated };
    },
    notificationArchive: async (_source, { id }: Target, context) => ({
      entity: await archiveRow(
        context,
        "Notification",
        await requireRow(context, "Notification", id),
      ),
    }),
    notificationUnarchive: async (_source, { id }: Target, context) => ({
      entity: await restoreRow(
        context,
        "Notification",
        await requireRow(context, "Notification", id),
      ),
    }),
    notificationArchiveAll: (_source, { input }: Given<About>, context) =>
      changeAll(context, input, { archivedAt: context.now }),
    notificationMarkReadAll: (
      _source,
      { input, readAt }: Given<About> & { readAt: Date },
      context,
    ) => changeAll(context, input, { readAt }),
    notificationMarkUnreadAll: (_source, { input }: Given<About>, context) =>
      changeAll(context, input, { readAt: null }),
    notificationSnoozeAll: (
      _source,
      { input, snoozedUntilAt }: Given<About> & { snoozedUntilAt: Date },
      context,
    ) => changeAll(context, input, { snoozedUntilAt, unsnoozedAt: null }),
    notificationUnsnoozeAll: (
      _source,
      { input, unsnoozedAt }: Given<About> & { unsnoozedAt: Date },
      context,
    ) => changeAll(context, input, { snoozedUntilAt: null, unsnoozedAt }),
  },
};

export const notificationNames: TypeNames<Context> = { Notification: notificationType };
