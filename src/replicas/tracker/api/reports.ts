/** Updates of projects and of initiatives: how they stand, in the words of a user. */
import type { Resolver, Resolvers } from "~/graphql/attach";
import type { RowObject } from "~/graphql/page";
import { mutationsOf, type Rules } from "~/replicas/tracker/api/entity";
import { archiveRow, type Target } from "~/replicas/tracker/change";
import type { Context } from "~/replicas/tracker/context";
import { invalidArgument } from "~/replicas/tracker/errors";
import { requireGiven, requireRow } from "~/replicas/tracker/require";
import { initiativeUrl, projectUrl } from "~/replicas/tracker/urls";

const rules: Rules = {
  operations: ["create", "update", "archive", "unarchive"],
  create: ({ body, health }, { viewer }) => {
    if (body === undefined || body.trim() === "")
      throw invalidArgument("body", body, "isNotEmpty", "body should not be empty");
    return { userId: viewer.id, health: health ?? "onTrack" };
  },
};

/** The address of the report in the page of what it is about. */
const reportUrl =
  (
    type: "Project" | "Initiative",
    urlOf: (context: Context, row: RowObject) => string,
  ): Resolver<Context> =>
  async (report: RowObject, _args, context) => {
    const key = type === "Project" ? "projectId" : "initiativeId";
    const subject = await context.read.one(type, report[key] as string);
    return subject ? `${urlOf(context, subject)}/updates#${report["slugId"]}` : "";
  };

/** Asks somebody to report. What the reminder would send goes nowhere. */
const reminder =
  (type: "Project" | "Initiative", argument: string): Resolver<Context> =>
  async (_source, args: Record<string, string | null>, context) => {
    await requireRow(context, type, args[argument] ?? "");
    await requireGiven(context, "User", "userId", args["userId"]);
    return {};
  };

export const reports: Resolvers<Context> = {
  ProjectUpdate: { url: reportUrl("Project", projectUrl) },
  InitiativeUpdate: { url: reportUrl("Initiative", initiativeUrl) },
  Mutation: {
    ...mutationsOf("ProjectUpdate", rules),
    ...mutationsOf("InitiativeUpdate", rules),
    projectUpdateDelete: async (_source, { id }: Target, context) => {
      const report = await requireRow(context, "ProjectUpdate", id);
      return { entityId: (await archiveRow(context, "ProjectUpdate", report)).id };
    },
    createProjectUpdateReminder: reminder("Project", "projectId"),
    createInitiativeUpdateReminder: reminder("Initiative", "initiativeId"),
  },
};
