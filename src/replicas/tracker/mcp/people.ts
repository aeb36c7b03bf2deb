/** People, teams, cycles and the workspace. */
import { filterOf, requireId } from "~/replicas/tracker/mcp/names";
import {
  containing,
  getOne,
  type ListArguments,
  listPage,
  optional,
  related,
  type Shape,
  selectionOf,
  shown,
} from "~/replicas/tracker/mcp/shape";
import type { Node, Tools, Work } from "~/replicas/tracker/mcp/tool";

const TEAM: Shape = {
  id: "id",
  icon: optional("icon", (team) => team.icon),
  name: "name",
  createdAt: "createdAt",
  updatedAt: "updatedAt",
};

const USER: Shape = {
  id: "id",
  name: "name",
  email: "email",
  displayName: "displayName",
  avatarUrl: optional("avatarUrl", (user) => user.avatarUrl),
  isAdmin: ["admin", (user) => user.admin],
  isGuest: ["guest", (user) => user.guest],
  isActive: ["active", (user) => user.active],
  createdAt: "createdAt",
  updatedAt: "updatedAt",
  // Nobody is online: results repeat.
  status: [
    "lastSeen createdAt",
    (user) => `Offline (last seen ${user.lastSeen ?? user.createdAt})`,
  ],
};
const WHOLE_USER: Shape = {
  ...USER,
  teams: [related("teams", "id name key"), (user) => user.teams.nodes],
};

const WORKSPACE: Shape = {
  id: "id",
  name: "name",
  url: ["urlKey", (workspace) => `https://linear.app/${workspace.urlKey}`],
};

/** A flag that is only there when it is true. */
const flag = (name: string) => optional(name, (cycle) => cycle[name] || undefined);

const CYCLE: Shape = {
  id: "id",
  name: optional("name", (cycle) => cycle.name),
  number: "number",
  startsAt: "startsAt",
  endsAt: "endsAt",
  completedIssueCountHistory: "completedIssueCountHistory",
  issueCountHistory: "issueCountHistory",
  completedScopeHistory: "completedScopeHistory",
  scopeHistory: "scopeHistory",
  isCurrent: optional("isActive", (cycle) => cycle.isActive || undefined),
  isPrevious: flag("isPrevious"),
  isNext: flag("isNext"),
};

type Query = { readonly query: string };
type ListTeams = ListArguments & { readonly query?: string };
type ListUsers = ListTeams & { readonly team?: string };

async function listUsers(args: ListUsers, work: Work): Promise<object> {
  const { query, team } = args;
  const listing = {
    plural: "users",
    type: "User",
    shape: USER,
    filter:
      query === undefined
        ? {}
        : { or: ["name", "displayName", "email"].map((name) => ({ [name]: containing(query) })) },
  };
  return await listPage(work, args, {
    ...listing,
    ...(team === undefined
      ? { field: "users" }
      : {
          field: "members",
          inside: "team(id: $id)",
          variables: ["$id: String!", { id: await requireId(work, "Team", team) }] as const,
        }),
  });
}

/** The filter of each type of cycle. */
const CYCLES = {
  current: { isActive: { eq: true } },
  previous: { isPrevious: { eq: true } },
  next: { isNext: { eq: true } },
};

type ListCycles = { readonly teamId: string; readonly type?: keyof typeof CYCLES };

async function listCycles({ teamId, type }: ListCycles, work: Work): Promise<object> {
  const team = { id: { eq: await requireId(work, "Team", teamId) } };
  const { cycles } = await work.ask(
    `query($filter: CycleFilter) { cycles(first: 250, filter: $filter) { nodes { ${selectionOf(CYCLE)} } } }`,
    { filter: { team, ...(type && CYCLES[type]) } },
  );
  return cycles.nodes
    .toSorted((one: Node, other: Node) => one.number - other.number)
    .map((cycle: Node) => shown(CYCLE, cycle));
}

export const peopleTools: Tools = {
  list_teams: (args: ListTeams, work) =>
    listPage(work, args, {
      plural: "teams",
      field: "teams",
      type: "Team",
      shape: TEAM,
      filter: filterOf({ name: containing(args.query) }),
    }),
  get_team: async ({ query }: Query, work) =>
    await getOne(work, "team", await requireId(work, "Team", query), TEAM),
  list_users: listUsers,
  get_user: async ({ query }: Query, work) =>
    await getOne(work, "user", await requireId(work, "User", query), WHOLE_USER),
  get_workspace: async (_args, { ask }) => {
    const { organization } = await ask(`{ organization { ${selectionOf(WORKSPACE)} } }`);
    return shown(WORKSPACE, organization);
  },
  list_cycles: listCycles,
};
