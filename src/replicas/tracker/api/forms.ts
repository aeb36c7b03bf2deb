/** The types that the service names by their form, and the arguments of its pages. */
import type { Conventions } from "~/graphql/sdl";
import { words } from "~/graphql/words";

const lowerFirst = (text: string) => text.charAt(0).toLowerCase() + text.slice(1);

export const SDL_CONVENTIONS: Conventions = {
  forms: [
    {
      name: /^(\w+)SearchResult$/,
      fieldsOf: (base) => base,
      sdl: (name, base) =>
        `"One ${words(base)} in the results of a search." type ${name} implements Node { metadata: JSONObject! }`,
    },
    {
      name: /^Nullable(\w+)Filter$/,
      fieldsOf: (base) => `${base}Filter`,
      sdl: (name, base) =>
        `"Conditions on one ${words(base)}, or on its absence." input ${name} { and: [${name}!] null: Boolean or: [${name}!] }`,
    },
    {
      name: /^(\w+)CollectionFilter$/,
      fieldsOf: (base) => `${base}Filter`,
      sdl: (name, base) =>
        `"Conditions on several ${words(base)} objects; without \`every\` one match is enough." input ${name} { and: [${name}!] every: ${base}Filter length: NumberComparator or: [${name}!] some: ${base}Filter }`,
    },
    {
      name: /^(\w+)Sort$/,
      sdl: (name) =>
        `"One key of an order." input ${name} { nulls: PaginationNulls = last order: PaginationSortOrder }`,
    },
    {
      name: /^(\w+)ArchivePayload$/,
      sdl: (name, base) =>
        `"Result of archiving, restoring or deleting one ${words(base)}." type ${name} implements ArchivePayload { entity: ${base} }`,
    },
    {
      name: /^(\w+)Payload$/,
      sdl: (name, base) =>
        `"One ${words(base)} after a change." type ${name} { ${lowerFirst(base)}: ${base}! lastSyncId: Float! success: Boolean! }`,
    },
  ],
  pageArguments:
    "after: String before: String first: Int includeArchived: Boolean last: Int orderBy: PaginationOrderBy",
};
