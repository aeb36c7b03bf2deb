/** What every entity adds to the schema. */
import type { Resolver, Resolvers, TypeNames } from "~/graphql/attach";
import { auditEntries } from "~/replicas/tracker/api/audit";
import { issues } from "~/replicas/tracker/api/issue";
import { issueChanges } from "~/replicas/tracker/api/issue-changes";
import { organizations } from "~/replicas/tracker/api/organization";
import { teams } from "~/replicas/tracker/api/team";
import { teamChanges } from "~/replicas/tracker/api/team-changes";
import { users } from "~/replicas/tracker/api/user";
import { workflowStates } from "~/replicas/tracker/api/workflow-state";
import type { Context } from "~/replicas/tracker/context";

const FAMILIES: readonly Resolvers<Context>[] = [
  auditEntries,
  issues,
  issueChanges,
  organizations,
  teams,
  teamChanges,
  users,
  workflowStates,
];

export const RESOLVERS: Resolvers<Context> = joined(FAMILIES);

export const TYPE_NAMES: TypeNames<Context> = {};

/** The fields of all families by type. Throws when two of them answer the same field. */
function joined(families: readonly Resolvers<Context>[]): Resolvers<Context> {
  const types: Record<string, Record<string, Resolver<Context>>> = {};
  for (const family of families)
    for (const [type, fields] of Object.entries(family)) {
      const known = types[type] ?? {};
      types[type] = known;
      for (const [field, resolve] of Object.entries(fields)) {
        if (field in known) throw new Error(`${type}.${field} is answered twice`);
        known[field] = resolve;
      }
    }
  return types;
}
