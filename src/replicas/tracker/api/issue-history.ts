/** The history of issues. */

import type { RowObject } from "~/graphql/page";
import type { Resolvers } from "~/graphql/resolvers";
import type { Context } from "~/replicas/tracker/context";
import type { Row } from "~/replicas/tracker/store/entities";
import { lookUp } from "~/replicas/tracker/store/lookups";

type RelationChange = { readonly identifier: string; readonly type: string };

export const issueHistory: Resolvers<Context> = {
  IssueHistory: {
    /** The fields with a new value, by name. */
    changes: (row: RowObject) => {
      const changed = Object.entries(row).flatMap(([name, value]) => {
        const [, field] = /^to([A-Z]\w*)$/.exec(name) ?? [];
        return field && (value !== null || row[`from${field}`] !== null)
          ? [
              [
                field.charAt(0).toLowerCase() + field.slice(1),
                { from: row[`from${field}`], to: value },
              ],
            ]
          : [];
      });
      return changed.length === 0 ? null : Object.fromEntries(changed);
    },
    descriptionUpdatedBy: async (
      { updatedDescription, actorId }: Row<"IssueHistory">,
      _args,
      { read },
      info,
    ) => {
      if (!updatedDescription || !actorId) return null;
      const actor = await read.one("User", actorId, info);
      return actor ? [actor] : null;
    },
    /** Omits changes of relations to issues that the viewer must not see. */
    relationChanges: async (
      { relationChanges }: Row<"IssueHistory">,
      _args,
      { read, hiddenTeamIds },
    ) => {
      if (relationChanges === null || hiddenTeamIds.length === 0) return relationChanges;
      const seen: RelationChange[] = [];
      for (const change of relationChanges as readonly RelationChange[]) {
        const where = lookUp("Issue", change.identifier);
        if (where && (await read.find("Issue", where))) seen.push(change);
      }
      return seen.length === 0 ? null : seen;
    },
  },
};
