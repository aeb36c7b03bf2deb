/** Teams: computed fields, and who may see and administer them. */

import type { RowObject } from "~/graphql/page";
import { pageOf, type Resolvers, rootPage } from "~/graphql/resolvers";
import type { Context } from "~/replicas/tracker/context";
import { derivedId } from "~/replicas/tracker/ids";
import type { Row } from "~/replicas/tracker/store/entities";
import { administeredBy, having, retired } from "~/replicas/tracker/store/lookups";
import { team } from "~/replicas/tracker/store/models/people";
import { workspaceUrl } from "~/replicas/tracker/urls";

export const teams: Resolvers<Context> = {
  Team: {
    cycleCalenderUrl: ({ id, key }: Row<"Team">, _args, context) =>
      workspaceUrl(
        context,
        "team",
        String(key),
        "cycles",
        `${derivedId("calendar", id).slice(0, 8)}.ics`,
      ),
    displayName: async ({ name, parentId }: Row<"Team">, _args, { read }) => {
      const parent = parentId ? await read.one("Team", parentId) : undefined;
      return parent ? `${parent["name"]} › ${name}` : name;
    },
    inviteHash: ({ id }: Row<"Team">) => derivedId("invite", id).slice(0, 8),
    issueCount: (row: RowObject, { includeArchived }: { includeArchived?: boolean }, { read }) => {
      const name = includeArchived ? "issueCountWithArchived" : "issueCount";
      return name in row ? row[name] : read.value(team, name, row.id);
    },
    issueOrderingNoPriorityFirst: () => false,
    issueSortOrderDefaultToBottom: () => false,
    issues: pageOf(team, ({ includeSubTeams }) =>
      includeSubTeams ? "issuesWithSubTeams" : "issues",
    ),
    membership: ({ id }: Row<"Team">, { userId }: { userId: string }, { read }, info) =>
      read.find("TeamMembership", having({ teamId: id, userId }), info),
    private: ({ visibility }: Row<"Team">) => visibility === "private",
    projects: pageOf(team, ({ includeSubTeams }) =>
      includeSubTeams ? "projectsWithSubTeams" : "projects",
    ),
  },
  Query: {
    administrableTeams: rootPage("Team", () => administeredBy),
    archivedTeams: (_source, _args, { read }, info) =>
      read.rows("Team", {
        args: { includeArchived: true },
        where: retired,
        fields: info.fields,
      }),
  },
};
