/** Projects: teams, members, labels, and the times that follow from the status. */

import type { Resolvers } from "~/graphql/resolvers";
import { mutationsOf, payloadOf, type Rules } from "~/replicas/tracker/api/entity";
import { type Labelled, labellingMutations, setLabels } from "~/replicas/tracker/api/labels";
import { templateFor } from "~/replicas/tracker/api/template";
import type { Context } from "~/replicas/tracker/context";
import { DEFAULT_COLOR } from "~/replicas/tracker/defaults";
import { invalidArgument, invalidInput, userError } from "~/replicas/tracker/errors";
import { requireGiven, requireRow } from "~/replicas/tracker/require";
import { treeOf } from "~/replicas/tracker/rich-text";
import type { Changes, NewValues, Row, Values } from "~/replicas/tracker/store/entities";
import { listLabelIds, PROJECT_LABELS } from "~/replicas/tracker/store/labels";
import { announce } from "~/replicas/tracker/store/notifications";
import {
  listProjectMembers,
  listProjectTeams,
  listStatuses,
  listTeamsWithIssues,
  setProjectMembers,
  setProjectTeams,
} from "~/replicas/tracker/store/projects";
import { findNextNumber } from "~/replicas/tracker/store/sort-order";
import { timesOf } from "~/replicas/tracker/times";
import { projectUrl } from "~/replicas/tracker/urls";

type Input = {
  readonly teamIds?: readonly string[] | null;
  readonly memberIds?: readonly string[] | null;
  readonly labelIds?: readonly string[] | null;
  readonly leadId?: string | null;
  readonly leadTeamId?: string | null;
  readonly statusId?: string | null;
  readonly priority?: number | null;
  readonly templateId?: string | null;
  readonly lastAppliedTemplateId?: string | null;
  readonly useDefaultTemplate?: boolean | null;
};

/** Fields that a template fills in. */
const FILLED = ["description", "content", "icon", "color", "priority"];

const PRIORITY_MAX = 4;

const rules: Rules<"Project"> = {
  operations: ["create", "update", "delete", "archive", "unarchive"],
  place: "top",
  check: async (input: Input, context) => {
    const { priority, leadTeamId } = input;
    if (priority != null && (priority < 0 || priority > PRIORITY_MAX))
      throw invalidArgument("priority", priority, "max", "priority must be from 0 to 4");
    if (input.teamIds != null) await requireTeams(input.teamIds, context);
    for (const id of input.memberIds ?? []) await requireGiven(context, "User", "memberIds", id);
    if (leadTeamId != null && input.teamIds != null && !input.teamIds.includes(leadTeamId))
      throw invalidInput("The leading team must be one of the project's teams");
    return undefined;
  },
  create: async (input: Input & NewValues<"Project">, context) => {
    const [firstTeam = ""] = input.teamIds ?? [];
    const leadTeamId = input.leadTeamId ?? firstTeam;
    const team = await requireRow(context, "Team", leadTeamId);
    const standard = input.useDefaultTemplate ? team["defaultProjectTemplateId"] : null;
    const templateId = input.templateId ?? standard;
    const template = await templateFor(context, "project", templateId);
    const templated: Changes<"Project"> = {
      ...pick(template, ...FILLED),
      ...given(pick(input, ...FILLED)),
    };
    const { statusId, ...times } = await statusOf(input.statusId, context);
    const prefix = `P-${team["key"]}-`;
    return {
      ...templated,
      statusId,
      ...times,
      leadTeamId,
      color: input.color ?? templated.color ?? DEFAULT_COLOR,
      lastAppliedTemplateId: templateId ?? input.lastAppliedTemplateId,
      identifier: `${prefix}${await findNextNumber(context.session, "Project", prefix)}`,
    };
  },
  update: async (project, input: Input & Values, context) => {
    if (input.teamIds != null) await requireTeamsLeft(project, input.teamIds, context);
    if (input.leadTeamId != null && input.teamIds == null) {
      const teamIds = await listProjectTeams(context.session, project.id);
      if (!teamIds.includes(input.leadTeamId))
        throw invalidInput("The leading team must be one of the project's teams");
    }
    const [firstTeam] = input.teamIds ?? [];
    const leaves = input.teamIds?.includes(project.leadTeamId) === false;
    return {
      ...(leaves && input.leadTeamId == null && { leadTeamId: firstTeam }),
      ...(input.statusId != null &&
        input.statusId !== project["statusId"] &&
        (await statusOf(input.statusId, context, project))),
      ...pick(input, "completedAt", "canceledAt"),
    };
  },
  written: async (project, input: Input, context, before) => {
    const { session } = context;
    if (input.teamIds != null) await setProjectTeams(session, project.id, input.teamIds);
    if (input.memberIds != null || input.leadId != null)
      await setMembers(project, input, context, before);
    if (input.labelIds != null)
      await setLabels(context, PROJECT_LABELS, input.labelIds, await labelledOf(project, context));
  },
};

/** Adds the lead as a member. Notifies new members and a new lead. */
async function setMembers(
  project: Row<"Project">,
  { memberIds, leadId }: Input,
  { session, viewer, now }: Context,
  before?: Row<"Project">,
): Promise<void> {
  const had = await listProjectMembers(session, project.id);
  const members = [...(memberIds ?? had), ...(leadId == null ? [] : [leadId])];
  await setProjectMembers(session, project.id, members);
  const leads = leadId != null && leadId !== before?.["leadId"] ? [leadId] : [];
  const joined = members.filter((id) => !had.includes(id) && !leads.includes(id));
  const acting = { actor: viewer.id, now };
  const projectId = project.id;
  if (leads.length > 0)
    await announce(session, { type: "projectAddedAsLead", userIds: leads, projectId }, acting);
  if (joined.length > 0)
    await announce(session, { type: "projectAddedAsMember", userIds: joined, projectId }, acting);
}

/** The values that were given and are not empty. */
const given = (input: Values): Values =>
  Object.fromEntries(
    Object.entries(input).filter(([, value]) => value !== undefined && value !== null),
  );

const pick = (input: Values, ...names: readonly string[]): Values =>
  Object.fromEntries(
    names.flatMap((name) => (input[name] === undefined ? [] : [[name, input[name]]])),
  );

async function requireTeams(teamIds: readonly string[], context: Context): Promise<void> {
  if (teamIds.length === 0)
    throw invalidArgument("teamIds", teamIds, "arrayNotEmpty", "teamIds should not be empty");
  for (const id of teamIds) await requireGiven(context, "Team", "teamIds", id);
}

/** Rejects removing a team that has issues in the project. */
async function requireTeamsLeft(
  project: Row<"Project">,
  teamIds: readonly string[],
  { session }: Context,
) {
  const needed = await listTeamsWithIssues(session, project.id);
  if (needed.some((id) => !teamIds.includes(id)))
    throw invalidInput("A team that has issues in the project cannot be removed from it");
}

/** The given status, or the first backlog status, with the times it determines. */
async function statusOf(
  id: string | null | undefined,
  { session, now }: Context,
  project?: Row<"Project">,
) {
  const statuses = await listStatuses(session);
  const status =
    id == null
      ? (statuses.find(({ type }) => type === "backlog") ?? statuses[0])
      : statuses.find((one) => one.id === id);
  if (!status) throw userError("This project status is archived");
  return { statusId: status.id, ...timesOf(status.type, now, project) };
}

const labelledOf = async (
  { id }: { readonly id: string },
  { session }: Context,
): Promise<Labelled> => ({
  id,
  had: await listLabelIds(session, PROJECT_LABELS, id),
  teamIds: await listProjectTeams(session, id),
});

export const projects: Resolvers<Context> = {
  Project: {
    contentState: (project: Row<"Project">) => treeOf(project, "content"),
    description: ({ description }: Row<"Project">) => description ?? "",
    facets: () => [],
    url: (project: Row<"Project">, _args, context) => projectUrl(context, project),
  },
  Mutation: {
    ...mutationsOf("Project", rules),
    ...labellingMutations("Project", PROJECT_LABELS, labelledOf),
    projectExternalSyncDisable: async (
      _source,
      { projectId }: { projectId: string },
      context,
      info,
    ) => payloadOf(await requireRow(context, "Project", projectId), "Project", info),
  },
};
