/** Status updates of projects and initiatives. */

import type { RowObject } from "~/graphql/page";
import type { Resolver, Resolvers } from "~/graphql/resolvers";
import { mutationsOf, type Rules } from "~/replicas/tracker/api/entity";
import { archiveRow, type Target } from "~/replicas/tracker/change";
import type { Context } from "~/replicas/tracker/context";
import { invalidArgument, userError } from "~/replicas/tracker/errors";
import { requireAuthor, requireGiven, requireRow } from "~/replicas/tracker/require";
import type { Entity } from "~/replicas/tracker/store/entities";
import { announce, listFollowers } from "~/replicas/tracker/store/notifications";
import { listProjectMembers } from "~/replicas/tracker/store/projects";
import { initiativeUrl, projectUrl } from "~/replicas/tracker/urls";

type Subject = "Project" | "Initiative";
const KEYS = { Project: "projectId", Initiative: "initiativeId" } as const;

/** The users to notify of a report: leads, members and followers of its subject. */
async function audienceOf(
  type: Subject,
  subject: RowObject,
  { session }: Context,
): Promise<string[]> {
  const followers = await listFollowers(session, KEYS[type], subject.id);
  const members = type === "Project" ? await listProjectMembers(session, subject.id) : [];
  const people = [subject["leadId"], subject["ownerId"], subject["creatorId"]];
  return [...followers, ...members, ...people.filter((id) => id != null).map(String)];
}

const rulesFor = (type: Subject): Rules => ({
  operations: ["create", "update", "archive", "unarchive"],
  create: ({ body, health }, { viewer }) => {
    if (body === undefined || body.trim() === "")
      throw invalidArgument("body", body, "isNotEmpty", "body should not be empty");
    return { userId: viewer.id, health: health ?? "onTrack" };
  },
  update: (report, _input, context) => {
    requireAuthor(context, report, "an update");
    return undefined;
  },
  leaves: (report, context) => requireAuthor(context, report, "an update"),
  written: async (report, _input, context, before) => {
    if (before) return;
    const key = KEYS[type];
    const subject = await requireRow(context, type, String(report[key]));
    const stem = type.toLowerCase();
    await announce(
      context.session,
      {
        type: `${stem}UpdateCreated`,
        userIds: await audienceOf(type, subject, context),
        [key]: subject.id,
        [`${stem}UpdateId`]: report.id,
      },
      { actor: context.viewer.id, now: context.now },
    );
  },
});

/** The address of the report on the page of its subject. */
const reportUrl =
  (type: Subject, urlOf: (context: Context, row: RowObject) => string): Resolver<Context> =>
  async (report: RowObject, _args, context) => {
    const subject = await context.read.one(type, String(report[KEYS[type]]));
    return subject ? `${urlOf(context, subject)}/updates#${report["slugId"]}` : "";
  };

/** Asks a user for a report: the given user, otherwise the lead. */
const reminder =
  (type: Subject): Resolver<Context> =>
  async (_source, args: Record<string, string | null>, context) => {
    const key = KEYS[type];
    const subject = await requireRow<Entity>(context, type, args[key] ?? "");
    await requireGiven(context, "User", "userId", args["userId"]);
    const userId = args["userId"] ?? subject["leadId"] ?? subject["ownerId"];
    if (userId == null) throw userError("There is no lead to remind");
    const notification = {
      type: `${type.toLowerCase()}UpdatePrompt`,
      userIds: [String(userId)],
      [key]: subject.id,
    };
    await announce(context.session, notification, { actor: context.viewer.id, now: context.now });
    return {};
  };

export const reports: Resolvers<Context> = {
  ProjectUpdate: { url: reportUrl("Project", projectUrl) },
  InitiativeUpdate: { url: reportUrl("Initiative", initiativeUrl) },
  Mutation: {
    ...mutationsOf("ProjectUpdate", rulesFor("Project")),
    ...mutationsOf("InitiativeUpdate", rulesFor("Initiative")),
    projectUpdateDelete: async (_source, { id }: Target, context) => {
      const report = await requireRow(context, "ProjectUpdate", id);
      requireAuthor(context, report, "an update");
      return { entityId: (await archiveRow(context, "ProjectUpdate", report)).id };
    },
    createProjectUpdateReminder: reminder("Project"),
    createInitiativeUpdateReminder: reminder("Initiative"),
  },
};
