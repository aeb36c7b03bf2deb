/** Mutations that simulated colleagues make. */
import { getNamedType, isCompositeType } from "graphql";
import type { Acting } from "~/replicas/acting";
import { trackerSchema } from "~/replicas/tracker/schema";

const mutations = () => trackerSchema().getMutationType()?.getFields() ?? {};

export const acting: Acting = {
  names: () => Object.keys(mutations()),
  parameters: (name) => mutations()[name]?.args.map((each) => each.name) ?? [],
  request(name, given) {
    const field = mutations()[name];
    const named = field?.args.filter((each) => Object.hasOwn(given, each.name)) ?? [];
    const list = (of: readonly string[]) => (of.length > 0 ? `(${of.join(", ")})` : "");
    const variables = list(named.map((each) => `$${each.name}: ${each.type}`));
    const passed = list(named.map((each) => `${each.name}: $${each.name}`));
    const selected = field && isCompositeType(getNamedType(field.type)) ? " { __typename }" : "";
    const query = `mutation ${variables} { ${name}${passed}${selected} }`;
    return { path: "graphql", body: { query, variables: given } };
  },
};
