/** Webhooks: rows that receive the events of an environment with apps. */

import type { Resolvers } from "~/graphql/resolvers";
import { mutationsOf, type Rules } from "~/replicas/tracker/api/entity";
import { teamByKey } from "~/replicas/tracker/api/template";
import { changeRow, type Target } from "~/replicas/tracker/change";
import type { Context } from "~/replicas/tracker/context";
import { invalidArgument, invalidInput } from "~/replicas/tracker/errors";
import { requireRow } from "~/replicas/tracker/require";
import type { Row } from "~/replicas/tracker/store/entities";
import { hexOf, type Sourced } from "~/source";

const SECRET_BYTES = 20;
const newSecret = ({ source }: Sourced) => `lin_wh_${hexOf(source, SECRET_BYTES)}`;

type Value = string | null | undefined;

function requireProtocol(property: string, value: Value, protocol: RegExp, problem: string): void {
  if (value != null && !(URL.canParse(value) && protocol.test(new URL(value).protocol)))
    throw invalidArgument(property, value, "isUrl", `${property} must be ${problem}`);
}

/** An HTTP address. */
export const requireUrl = (property: string, value: Value) =>
  requireProtocol(property, value, /^https?:$/, "a URL address");

/** The subjects of the payloads of the service's webhooks. */
const RESOURCE_TYPES = [
  ...["AgentActivity", "AgentSession", "AgentSessionEvent", "AppUserNotification", "Attachment"],
  ...["AuditEntry", "Comment", "Customer", "CustomerNeed", "Cycle", "Document", "Initiative"],
  ...["InitiativeLabel", "InitiativeUpdate", "Issue", "IssueLabel", "IssueSLA", "OAuthApp"],
  ...["OAuthAuthorization", "PermissionChange", "Project", "ProjectLabel", "ProjectUpdate"],
  ...["Reaction", "Release", "ReleaseNote", "User"],
];

function requireResourceTypes(given: readonly string[] | null | undefined): void {
  if (given?.length === 0)
    throw invalidArgument(
      "resourceTypes",
      given,
      "arrayNotEmpty",
      "resourceTypes should not be empty",
    );
  const unknown = given?.find((type) => !RESOURCE_TYPES.includes(type));
  if (unknown !== undefined)
    throw invalidArgument(
      "resourceTypes",
      unknown,
      "isIn",
      `each value in resourceTypes must be one of the following values: ${RESOURCE_TYPES.join(", ")}`,
    );
}

const rules: Rules<"Webhook"> = {
  operations: ["create", "update", "delete"],
  keyed: ["teamId"],
  check: ({ url, resourceTypes }) => {
    requireProtocol("url", url, /^https:$/, "an HTTPS address");
    requireResourceTypes(resourceTypes);
    return undefined;
  },
  create: async ({ teamId, allPublicTeams, secret }, context) => {
    if ((teamId == null) === (allPublicTeams !== true))
      throw invalidInput("A webhook is for one team, or for all public teams");
    return {
      ...(await teamByKey({ teamId }, context)),
      secret: secret ?? newSecret(context.session),
    };
  },
};

export const webhooks: Resolvers<Context> = {
  Webhook: {
    failures: async (webhook: Row<"Webhook">, _given, { failures }) =>
      ((await failures?.load(webhook.id)) ?? []).map((failure) => ({ ...failure, webhook })),
    teamIds: ({ teamId }: Row<"Webhook">) => (teamId ? [teamId] : null),
  },
  Mutation: {
    ...mutationsOf("Webhook", rules),
    webhookRotateSecret: async (_source, { id }: Target, context) => {
      const webhook = await requireRow(context, "Webhook", id);
      const { secret } = await changeRow(context, "Webhook", webhook, {
        secret: newSecret(context.session),
      });
      return { secret };
    },
  },
};
