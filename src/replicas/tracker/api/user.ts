/** Users. */

import type { Resolvers } from "~/graphql/resolvers";
import { audit } from "~/replicas/tracker/api/audit";
import { changeRow, type Given, type Target } from "~/replicas/tracker/change";
import type { Context } from "~/replicas/tracker/context";
import { forbidden, invalidInput, userError } from "~/replicas/tracker/errors";
import { derivedId } from "~/replicas/tracker/ids";
import { requireAdmin, requireRow } from "~/replicas/tracker/require";
import type { Changes, NewValues, Row } from "~/replicas/tracker/store/entities";
import { findUserByName } from "~/replicas/tracker/store/users";
import { columnsIn } from "~/replicas/tracker/store/write";
import { workspaceUrl } from "~/replicas/tracker/urls";

const COLORS = [
  "#5e6ad2",
  "#26b5ce",
  "#4cb782",
  "#f2994a",
  "#eb5757",
  "#bb87fc",
  "#d4a017",
] as const;

/** Deterministic for each user. */
export const colorOf = (id: string) =>
  COLORS[Number.parseInt(id.replaceAll("-", "").slice(-6), 16) % COLORS.length];

/** The first letters of the first and last name. */
export function initialsOf(name: string): string {
  const words = name.split(/\s+/).filter((word) => word !== "");
  const [first = "", last = ""] = [words[0], words.length > 1 ? words.at(-1) : ""];
  return `${first.charAt(0)}${last.charAt(0)}`.toUpperCase();
}

type Role = "admin" | "app" | "guest" | "owner" | "user";

/** Changes another user's access, as an admin. */
async function administer(
  context: Context,
  id: string,
  changes: Changes<"User">,
): Promise<Row<"User">> {
  requireAdmin(context);
  const user = await requireRow(context, "User", id);
  if (user.id === context.viewer.id) throw userError("You cannot change your own access");
  return await changeRow(context, "User", user, changes);
}

async function changeRole(context: Context, id: string, role: Role) {
  if (role === "app") throw invalidInput("A user cannot become an application");
  if (role === "owner" && !context.viewer.owner)
    throw forbidden("Only owners can make another user an owner");
  const user = await administer(context, id, {
    admin: role === "admin" || role === "owner",
    owner: role === "owner",
    guest: role === "guest",
  });
  await audit(context, "userRoleUpdated", { entityType: "User", entityId: user.id, role });
  return {};
}

async function change(context: Context, id: string, { active }: { readonly active: boolean }) {
  const disableReason = active ? null : "suspended";
  const user = await administer(context, id, { active, disableReason });
  const type = active ? "userUnsuspended" : "userSuspended";
  await audit(context, type, { entityType: "User", entityId: user.id });
  return {};
}

export const users: Resolvers<Context> = {
  User: {
    avatarBackgroundColor: ({ id }: Row<"User">) => colorOf(id),
    canAccessAnyPublicTeam: ({ guest }: Row<"User">) => !guest,
    hasGitHubCodeAccess: () => false,
    initials: ({ name }: Row<"User">) => initialsOf(String(name)),
    inviteHash: ({ id }: Row<"User">) => derivedId("invite", id).slice(0, 8),
    isAssignable: ({ active }: Row<"User">) => active,
    isMe: ({ id }: Row<"User">, _args, { viewer }) => id === viewer.id,
    isMentionable: ({ active }: Row<"User">) => active,
    supportsAgentSessions: ({ app }: Row<"User">) => app,
    url: ({ displayName }: Row<"User">, _args, context) =>
      workspaceUrl(context, "profiles", String(displayName)),
  },
  Query: {
    viewer: (_source, _args, context, info) =>
      requireRow(context, "User", context.viewer.id, info.fields),
  },
  Mutation: {
    userUpdate: async (_source, { id, input }: Target & Given<NewValues<"User">>, context) => {
      const user = await requireRow(context, "User", id);
      if (user.id !== context.viewer.id) requireAdmin(context);
      const { displayName } = input;
      const other = displayName && (await findUserByName(context.session, displayName));
      if (other && other !== user.id)
        throw invalidInput(`There is already a user with the name "${displayName}"`);
      const changes = {
        ...columnsIn("User", input),
        name: input.name ?? undefined,
        displayName: displayName ?? undefined,
      };
      return { user: await changeRow(context, "User", user, changes) };
    },
    userChangeRole: (_source, { id, role }: Target & { role: Role }, context) =>
      changeRole(context, id, role),
    userSuspend: (_source, { id }: Target, context) => change(context, id, { active: false }),
    userUnsuspend: (_source, { id }: Target, context) => change(context, id, { active: true }),
    userDemoteAdmin: (_source, { id }: Target, context) => changeRole(context, id, "user"),
    userDemoteMember: (_source, { id }: Target, context) => changeRole(context, id, "guest"),
    userPromoteAdmin: (_source, { id }: Target, context) => changeRole(context, id, "admin"),
    userPromoteMember: (_source, { id }: Target, context) => changeRole(context, id, "user"),
  },
};
