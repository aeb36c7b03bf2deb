/** The workspace. */

import type { RowObject } from "~/graphql/page";
import type { Resolvers } from "~/graphql/resolvers";
import { changeRow, type Given } from "~/replicas/tracker/change";
import type { Context } from "~/replicas/tracker/context";
import { invalidArgument } from "~/replicas/tracker/errors";
import { requireAdmin, requireRow } from "~/replicas/tracker/require";
import type { NewValues, Row, Values } from "~/replicas/tracker/store/entities";
import { columnsIn } from "~/replicas/tracker/store/write";

/** Settings with several values: values that the input omits stay as they are. */
const MERGED = [
  "authSettings",
  "codingAgentSettings",
  "customersConfiguration",
  "linearAgentSettings",
  "securitySettings",
  "teamSecuritySettings",
  "themeSettings",
];

export const mergedSettings = (row: RowObject, input: Values, names: readonly string[]): Values =>
  Object.fromEntries(
    Object.entries(input).map(([name, value]) => [
      name,
      names.includes(name) && value
        ? { ...(row[name] as object | null), ...(value as object) }
        : value,
    ]),
  );

const URL_KEY = /^[a-z0-9][a-z0-9-]{0,62}$/;

const setting =
  (name: string, otherwise: unknown) =>
  ({ authSettings }: Row<"Organization">) =>
    (authSettings as Values)[name] ?? otherwise;

export const organizations: Resolvers<Context> = {
  Organization: {
    allowMembersToInvite: ({ securitySettings }) =>
      !["admin", "owner"].includes(
        (securitySettings as { invitationsRole?: string }).invitationsRole ?? "",
      ),
    allowedAiProviders: () => [],
    allowedAuthServices: setting("allowedAuthServices", []),
    hideNonPrimaryOrganizations: setting("hideNonPrimaryOrganizations", false),
    periodUploadVolume: () => 0,
    projectUpdatesReminderFrequency: ({ projectUpdateReminderFrequencyInWeeks: weeks }) =>
      ({ 1: "week", 2: "twoWeeks", 4: "month" })[weeks as number] ?? "never",
    releaseChannel: () => "public",
    restrictLabelManagementToAdmins: () => false,
    restrictTeamCreationToAdmins: () => false,
    samlEnabled: () => false,
    scimEnabled: () => false,
    slaDayCount: () => "all",
  },
  Query: {
    organization: (_source, _args, context, info) =>
      requireRow(context, "Organization", context.workspace.id, info.fields),
  },
  Mutation: {
    organizationUpdate: async (_source, { input }: Given<NewValues<"Organization">>, context) => {
      requireAdmin(context);
      const row = await requireRow(context, "Organization", context.workspace.id);
      const urlKey = input["urlKey"];
      const isNew = typeof urlKey === "string" && urlKey !== row["urlKey"];
      if (isNew && !URL_KEY.test(urlKey))
        throw invalidArgument("urlKey", urlKey, "matches", "urlKey must be part of a URL");
      const changes = {
        ...mergedSettings(row, columnsIn("Organization", input), MERGED),
        name: input["name"] ?? undefined,
        urlKey: urlKey ?? undefined,
        ...(isNew && {
          previousUrlKeys: [...row["previousUrlKeys"], row["urlKey"]],
        }),
      };
      return { organization: await changeRow(context, "Organization", row, changes) };
    },
  },
};
