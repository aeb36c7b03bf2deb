/** The audit log. */
import { type Resolvers, rootPage } from "~/graphql/resolvers";
import { createRow } from "~/replicas/tracker/change";
import type { Context } from "~/replicas/tracker/context";
import { requireAdmin } from "~/replicas/tracker/require";

const TYPES = {
  apiKeyCreated: "An API key was created.",
  apiKeyDeleted: "An API key was removed.",
  teamMembershipCreated: "A user joined a team.",
  teamMembershipDeleted: "A user left a team.",
  teamMembershipUpdated: "A user's role in a team was changed.",
  userRoleUpdated: "A user's role was changed.",
  userSuspended: "A user was suspended.",
  userUnsuspended: "A user was unsuspended.",
} as const;

/** Records an action of the viewer on `entity`. */
export async function audit(
  context: Context,
  type: keyof typeof TYPES,
  entity: {
    readonly entityType: string;
    readonly entityId: string;
    readonly [more: string]: string;
  },
): Promise<void> {
  await createRow(context, "AuditEntry", { actorId: context.viewer.id, type, metadata: entity });
}

const entries = rootPage("AuditEntry");

export const auditEntries: Resolvers<Context> = {
  Query: {
    auditEntries: (source, args, context, info) => {
      requireAdmin(context);
      return entries(source, args, context, info);
    },
    auditEntryTypes: () =>
      Object.entries(TYPES).map(([type, description]) => ({ type, description })),
  },
};
