/** Templates for new entities. */

import type { PageArguments } from "~/graphql/page";
import type { Resolvers } from "~/graphql/resolvers";
import { filterTypeOf } from "~/graphql/resolvers";
import { isObject } from "~/input/json";
import { mutationsOf, type Rules } from "~/replicas/tracker/api/entity";
import type { Context } from "~/replicas/tracker/context";
import { invalidInput } from "~/replicas/tracker/errors";
import { requireGiven, requireRow } from "~/replicas/tracker/require";
import type { Values } from "~/replicas/tracker/store/entities";

type Input = { readonly teamId?: string | null; readonly templateData?: unknown };

/** A team by its id or, only here, by its key. */
export const teamByKey = async (input: Input, context: Context): Promise<Values> =>
  input.teamId == null ? {} : { teamId: (await requireRow(context, "Team", input.teamId)).id };

const rules: Rules<"Template"> = {
  operations: ["create", "update", "delete"],
  place: "bottom",
  keyed: ["teamId"],
  check: async (input: Input, context) => {
    const { templateData } = input;
    if (templateData != null && !isObject(templateData))
      throw invalidInput("templateData must be a JSON object");
    return { ...(await teamByKey(input, context)), lastUpdatedById: context.viewer.id };
  },
};

/** The values of a template of this type; empty without a template. */
export async function templateFor(
  context: Context,
  type: string,
  templateId: string | null | undefined,
): Promise<Values> {
  const template = await requireGiven(context, "Template", "templateId", templateId);
  if (!template) return {};
  if (template["type"] !== type)
    throw invalidInput(`A template of type "${template["type"]}" cannot fill in a ${type}`);
  return (template["templateData"] ?? {}) as Values;
}

export const templates: Resolvers<Context> = {
  Template: { hasFormFields: () => false },
  Query: {
    templates: (_source, _args, { read }, info) =>
      read.rows("Template", { args: {}, fields: info.fields }),
    templateSearch: async (_source, args: PageArguments, { read }, info) => {
      const rows = await read.rows("Template", {
        args,
        filterType: filterTypeOf(info),
        fields: info.fields,
      });
      return rows.slice(0, args.first ?? rows.length);
    },
    templatesForIntegration: () => [],
  },
  Mutation: mutationsOf("Template", rules),
};
