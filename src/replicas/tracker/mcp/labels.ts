/** Labels of issues, projects and initiatives. */

import { filterOf, resolve, resolveGiven, whereNamed } from "~/replicas/tracker/mcp/names";
import {
  change,
  containing,
  getOne,
  type ListArguments,
  listPage,
  optional,
  type Shape,
  without,
} from "~/replicas/tracker/mcp/shape";
import type { Tool, Tools } from "~/replicas/tracker/mcp/tool";

type LabelType = "IssueLabel" | "ProjectLabel" | "InitiativeLabel";
const fieldOf = (type: LabelType) => `${type.charAt(0).toLowerCase()}${type.slice(1)}`;

const LABEL: Shape = {
  id: "id",
  name: "name",
  color: "color",
  description: "description",
  parent: optional("parent { name }", (label) => label.parent?.name),
};
const CREATED: Shape = { ...without(LABEL, "parent"), isGroup: "isGroup" };

type ListLabels = ListArguments & { readonly name?: string; readonly team?: string };

const list =
  (type: LabelType): Tool =>
  (args: ListLabels, work) =>
    listPage(work, args, {
      plural: "labels",
      field: `${fieldOf(type)}s`,
      type,
      shape: LABEL,
      filter: filterOf({
        name: containing(args.name),
        // Issues of a team can have the labels of the workspace too.
        or:
          args.team === undefined
            ? undefined
            : [{ team: { null: true } }, { team: whereNamed("Team", args.team) }],
      }),
    });

type CreateLabel = {
  readonly name: string;
  readonly description?: string;
  readonly color?: string;
  readonly teamId?: string;
  readonly parent?: string;
  readonly isGroup: boolean;
};

const create =
  (type: LabelType): Tool =>
  async ({ parent, teamId: team, ...args }: CreateLabel, work) => {
    const teamId = await resolveGiven(work, "Team", team);
    const input = {
      ...args,
      ...(teamId !== undefined && { teamId }),
      parentId:
        parent === undefined
          ? undefined
          : await resolve(work, type, parent, {
              filter: { isGroup: { eq: true } },
              ...(teamId !== undefined && { teamId }),
            }),
    };
    const id = await change(work, `${fieldOf(type)}Create`, input);
    return await getOne(work, fieldOf(type), id, CREATED);
  };

export const labelTools: Tools = {
  list_issue_labels: list("IssueLabel"),
  create_issue_label: create("IssueLabel"),
  list_project_labels: list("ProjectLabel"),
  list_initiative_labels: list("InitiativeLabel"),
  create_initiative_label: create("InitiativeLabel"),
};
