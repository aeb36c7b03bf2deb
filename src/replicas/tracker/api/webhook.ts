/** Webhooks: stored, but never called. */

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

/** An HTTP address. */
export function requireUrl(property: string, value: string | null | undefined): void {
  if (value != null && !(URL.canParse(value) && /^https?:$/.test(new URL(value).protocol)))
    throw invalidArgument(property, value, "isUrl", `${property} must be a URL address`);
}

const rules: Rules<"Webhook"> = {
  operations: ["create", "update", "delete"],
  keyed: ["teamId"],
  check: ({ url, resourceTypes }) => {
    requireUrl("url", url);
    if (resourceTypes?.length === 0)
      throw invalidArgument(
        "resourceTypes",
        resourceTypes,
        "arrayNotEmpty",
        "resourceTypes should not be empty",
      );
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
    failures: () => [],
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
