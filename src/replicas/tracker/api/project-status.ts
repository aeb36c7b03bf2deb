/** Statuses of projects. The workspace keeps at least one of each type. */
import type { Resolvers } from "~/graphql/resolvers";
import { mutationsOf, type Rules } from "~/replicas/tracker/api/entity";
import { changeRow, type Target } from "~/replicas/tracker/change";
import type { Context } from "~/replicas/tracker/context";
import { invalidInput, userError } from "~/replicas/tracker/errors";
import { requireGiven, requireRow } from "~/replicas/tracker/require";
import {
  countWithStatus,
  listProjectsWithStatus,
  listStatuses,
} from "~/replicas/tracker/store/projects";
import { timesOf } from "~/replicas/tracker/times";

const rules: Rules<"ProjectStatus"> = {
  operations: ["create", "update", "archive", "unarchive"],
  check: async ({ name, type }, { session }, row) => {
    const others = (await listStatuses(session)).filter(({ id }) => id !== row?.id);
    if (name != null && others.some((other) => other.name.toLowerCase() === name.toLowerCase()))
      throw invalidInput(`There already is a project status named "${name}"`);
    if (
      row &&
      type != null &&
      type !== row["type"] &&
      !others.some((other) => other.type === row["type"])
    )
      throw userError("The workspace keeps at least one project status of each type");
    return undefined;
  },
  leaves: async (status, { session }) => {
    if ((await countWithStatus(session, status.id)).live > 0)
      throw userError("A project status that projects have cannot be archived");
    const others = (await listStatuses(session)).filter(({ id }) => id !== status.id);
    if (!others.some(({ type }) => type === status["type"]))
      throw userError("The workspace keeps at least one project status of each type");
  },
};

type Reassign = { readonly newProjectStatusId: string; readonly originalProjectStatusId: string };

export const projectStatuses: Resolvers<Context> = {
  Query: {
    projectStatusProjectCount: async (_source, { id }: Target, context) => {
      const status = await requireRow(context, "ProjectStatus", id);
      const { live } = await countWithStatus(context.session, status.id);
      return { count: live, privateCount: 0, archivedTeamCount: 0 };
    },
  },
  Mutation: {
    ...mutationsOf("ProjectStatus", rules),
    projectReassignStatus: async (_source, args: Reassign, context) => {
      const { originalProjectStatusId: from, newProjectStatusId: to } = args;
      await requireGiven(context, "ProjectStatus", "originalProjectStatusId", from);
      const status = await requireGiven(context, "ProjectStatus", "newProjectStatusId", to);
      const projects = await listProjectsWithStatus(context.session, from);
      for (const project of projects)
        await changeRow(context, "Project", project, {
          statusId: status?.id,
          ...timesOf(status?.["type"] as string, context.now, project),
        });
      return {};
    },
  },
};
