/** The history of issues. */
import type { Resolvers } from "~/graphql/attach";
import type { RowObject } from "~/graphql/page";
import { selectedFields } from "~/graphql/selection";
import type { Context } from "~/replicas/tracker/context";

export const issueHistory: Resolvers<Context> = {
  IssueHistory: {
    /** The fields that show a new value, by name. */
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
      { updatedDescription, actorId }: RowObject,
      _args,
      { read },
      info,
    ) => {
      if (!updatedDescription || !actorId) return null;
      const actor = await read.one("User", actorId as string, selectedFields(info));
      return actor ? [actor] : null;
    },
  },
};
