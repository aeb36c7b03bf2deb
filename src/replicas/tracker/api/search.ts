/** Searches. */
import { isInputObjectType } from "graphql";
import type { PageArguments } from "~/graphql/page";
import { filterTypeOf, type Resolver, type Resolvers } from "~/graphql/resolvers";
import type { PageWanted } from "~/graphql/rows";
import type { Optional } from "~/replicas/tracker/change";
import type { Context } from "~/replicas/tracker/context";
import { invalidArgument } from "~/replicas/tracker/errors";
import { type SearchedType, search } from "~/replicas/tracker/store/search";

const RESULTS_DEFAULT = 20;
const RESULTS_MAX = 100;
const TERM_MAX = 500;

function requireTerm(property: string, term: string): string {
  const text = term.trim();
  if (text.length > TERM_MAX)
    throw invalidArgument(
      property,
      term,
      "maxLength",
      `${property} must be shorter than or equal to ${TERM_MAX} characters`,
    );
  return text;
}

type Arguments = PageArguments & {
  readonly term: string;
  readonly includeComments?: Optional<boolean>;
  readonly teamId?: Optional<string>;
};

/** A page of results, with their total. */
const searchPage =
  (type: SearchedType): Resolver<Context> =>
  async (_source, args: Arguments, { read }, info) => {
    const options = { comments: args.includeComments === true, teamId: args.teamId ?? undefined };
    const wanted: PageWanted = {
      args,
      filterType: filterTypeOf(info),
      fields: info.nodes.fields,
      ...search(type, requireTerm("term", args.term), options),
    };
    const page = await read.page(type, wanted);
    const counted = info.fields.has("totalCount") || info.fields.has("archivePayload");
    const totalCount = counted ? await read.count(type, wanted) : 0;
    return {
      ...page,
      totalCount,
      archivePayload: { archive: "{}", totalCount, databaseVersion: 1, includesDependencies: [] },
    };
  };

const TYPES = {
  issue: "Issue",
  project: "Project",
  document: "Document",
  initiative: "Initiative",
} as const;
type ResultType = keyof typeof TYPES;

type Semantic = {
  readonly query: string;
  readonly types?: Optional<readonly ResultType[]>;
  readonly maxResults?: Optional<number>;
  readonly includeArchived?: Optional<boolean>;
  readonly filters?: Optional<Readonly<Record<string, unknown>>>;
};

const semanticSearch: Resolver<Context> = async (
  _source,
  { query, types, maxResults, includeArchived, filters }: Semantic,
  { read },
  info,
) => {
  const term = requireTerm("query", query);
  const limit = Math.min(Math.max(maxResults ?? RESULTS_DEFAULT, 1), RESULTS_MAX);
  const results: object[] = [];
  for (const type of types ?? (Object.keys(TYPES) as ResultType[])) {
    const filterType = info.schema.getType(`${TYPES[type]}Filter`);
    const { nodes } = await read.page(TYPES[type], {
      args: {
        first: limit,
        includeArchived: includeArchived ?? false,
        filter: filters?.[`${type}s`],
      },
      filterType: isInputObjectType(filterType) ? filterType : undefined,
      ...search(TYPES[type], term, {}),
    });
    results.push(...nodes.map((row) => ({ id: row.id, type, [type]: row })));
  }
  return { enabled: true, results: results.slice(0, limit) };
};

const noSuggestion = () => ({ filter: {} });

export const searches: Resolvers<Context> = {
  Query: {
    searchDocuments: searchPage("Document"),
    searchIssues: searchPage("Issue"),
    searchProjects: searchPage("Project"),
    issueSearch: (_source, args: PageArguments & { query?: Optional<string> }, { read }, info) => {
      const term = requireTerm("query", args.query ?? "");
      return read.page("Issue", {
        args,
        filterType: filterTypeOf(info),
        fields: info.nodes.fields,
        ...(term !== "" && search("Issue", term, {})),
      });
    },
    semanticSearch,
    initiativeFilterSuggestion: noSuggestion,
    issueFilterSuggestion: noSuggestion,
    projectFilterSuggestion: noSuggestion,
  },
};
