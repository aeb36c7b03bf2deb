/** Methods for administrators of the workspace. */
import { Choice, Cursor, List, Maybe, Text, Whole } from "~/replicas/chat/arguments";
import { ChatError } from "~/replicas/chat/errors";
import { type ChatCall, method } from "~/replicas/chat/method";
import {
  clampLimit,
  cut,
  decodeCursor,
  encodeCursor,
  LIMIT,
  PAGE_ARGS,
  readPage,
} from "~/replicas/chat/paging";
import { requireActor, requireUser } from "~/replicas/chat/require";
import { findTeam } from "~/replicas/chat/store/team";
import { listUsers, type UserRow } from "~/replicas/chat/store/users";

const PAGE_DEFAULT = 100;
const USERS_MAX = 1_000;
const USER_CURSOR = /^[A-Z0-9]+$/;

async function requireAdmin(call: ChatCall) {
  const found = await requireActor(call);
  if (!found.user.is_admin) throw new ChatError("restricted_action");
  return found;
}

const everybody = ({ session }: ChatCall) => listUsers(session, { after: "", limit: USERS_MAX });

const accessLog = ({ id, name, updated }: UserRow) => ({
  user_id: id,
  username: name,
  date_first: updated,
  date_last: updated,
  count: 1,
  ip: null,
  user_agent: null,
  isp: null,
  country: null,
  region: null,
});

const integrationLog = (bot: UserRow, installer: UserRow | undefined) => ({
  app_id: bot.app_id,
  app_type: bot.real_name,
  user_id: installer?.id ?? "",
  user_name: installer?.name ?? "",
  date: String(bot.updated),
  change_type: "added",
});

export const teamAdmin = [
  method("team.accessLogs", {
    tier: 3,
    userOnly: true,
    summary: "Lists who has signed in, by user id.",
    limits: "Nobody signs in here: every user has one entry, from the workspace's start.",
    args: {
      before: Maybe(Whole("Only those before this time.")),
      ...PAGE_ARGS,
      limit: LIMIT,
      cursor: Maybe(Cursor()),
      team_id: Maybe(Text()),
    },
    async handle({ before, ...wanted }, call) {
      const page = readPage(wanted, PAGE_DEFAULT);
      await requireAdmin(call);
      const logins = (await everybody(call))
        .filter((user) => !user.is_bot && (before === undefined || user.updated < before))
        .map(accessLog);
      const { offset, limit } = page.window;
      return { logins: logins.slice(offset, offset + limit), ...page.answer(logins.length) };
    },
  }),

  method("team.billableInfo", {
    tier: 3,
    userOnly: true,
    summary: "Reports which users are billable.",
    args: {
      user: Maybe(Text("Only this one.")),
      limit: LIMIT,
      cursor: Maybe(Cursor()),
      team_id: Maybe(Text()),
    },
    async handle({ user: id, limit, cursor }, call) {
      const after = decodeCursor(cursor, "user", USER_CURSOR) ?? "";
      const size = clampLimit(limit, USERS_MAX, USERS_MAX);
      await requireAdmin(call);
      const rows = id
        ? [await requireUser(call, id)]
        : await listUsers(call.session, { after, limit: size });
      const { page, metadata } = cut(rows, size, (last) => encodeCursor("user", last.id));
      const info = page.map((user) => [
        user.id,
        { billing_active: !user.deleted && !user.is_bot && !user.is_ultra_restricted },
      ]);
      return { billable_info: Object.fromEntries(info), ...metadata };
    },
  }),

  method("team.billing.info", {
    tier: 3,
    summary: "Returns the workspace's plan.",
    args: {},
    async handle(_, { session }) {
      return { plan: (await findTeam(session)).plan };
    },
  }),

  method("team.integrationLogs", {
    tier: 3,
    userOnly: true,
    summary: "Lists changes to apps, by the id of their bot.",
    limits: "Apps cannot be changed here: each was added once.",
    args: {
      app_id: Maybe(Text()),
      service_id: Maybe(Text("Ignored: there are no integrations older than apps.")),
      user: Maybe(Text("Only changes by this user.")),
      change_type: Maybe(Choice("added", "removed", "enabled", "disabled", "updated")),
      ...PAGE_ARGS,
      team_id: Maybe(Text()),
    },
    async handle({ app_id: app, service_id: service, user, change_type: change, ...wanted }, call) {
      const page = readPage(wanted, PAGE_DEFAULT);
      await requireAdmin(call);
      const users = await everybody(call);
      const owner = users.find((each) => each.is_primary_owner);
      const logs = users
        .filter((bot) => bot.app_id !== null && (!app || bot.app_id === app))
        .map((bot) => integrationLog(bot, owner))
        .filter(
          (log) => !service && (!user || log.user_id === user) && (!change || change === "added"),
        );
      const { offset, limit } = page.window;
      const { paging } = page.answer(logs.length);
      return { logs: logs.slice(offset, offset + limit), paging };
    },
  }),

  method("team.externalTeams.list", {
    tier: 3,
    summary: "Lists the organizations that the workspace is connected to: none.",
    args: {
      connection_status_filter: Maybe(Choice("CONNECTED", "DISCONNECTED", "BLOCKED", "IN_REVIEW")),
      slack_connect_pref_filter: Maybe(List()),
      workspace_filter: Maybe(List()),
      sort_field: Maybe(Choice("team_name", "last_active_timestamp", "connection_status")),
      sort_direction: Maybe(Choice("asc", "desc")),
      limit: Maybe(Whole()),
      cursor: Maybe(Cursor()),
    },
    async handle({ workspace_filter: workspaces = [] }, call) {
      const { team } = await requireAdmin(call);
      if (workspaces.some((id) => id !== team.id)) throw new ChatError("invalid_workspace_filter");
      return { organizations: [], total_count: 0, response_metadata: { next_cursor: "" } };
    },
  }),

  method("team.externalTeams.disconnect", {
    tier: 3,
    summary: "Ends the connection to an organization; there is none.",
    args: { target_team: Maybe(Text()) },
    async handle({ target_team: team }, call) {
      await requireAdmin(call);
      throw new ChatError(team ? "invalid_target_team" : "missing_argument");
    },
  }),
];
