/** Full-text search, best match first. */
import type { Fragment } from "~/db/connect";
import { searchable } from "~/db/searchable";
import type { Expression, Order, Row, Scope } from "~/graphql/model";

/** The searchable texts of an entity. */
type Searched = {
  readonly title: string;
  readonly identifier?: string;
  readonly texts: readonly string[];
  /** The column of comments, and the value of the row, that join them. */
  readonly comments?: readonly [column: string, of: string];
};

const SEARCHED = {
  Issue: {
    title: "title",
    identifier: "identifier",
    texts: ["description"],
    comments: ["issueId", "id"],
  },
  Project: {
    title: "name",
    identifier: "identifier",
    texts: ["description", "content"],
    comments: ["projectId", "id"],
  },
  Document: {
    title: "title",
    texts: ["content"],
    comments: ["documentContentId", "documentContentId"],
  },
  Initiative: {
    title: "name",
    identifier: "identifier",
    texts: ["description", "content"],
    comments: ["initiativeId", "id"],
  },
} as const satisfies Record<string, Searched>;
export type SearchedType = keyof typeof SEARCHED;

export type Search = {
  readonly where: (row: Row, scope: Scope) => Fragment;
  readonly best: readonly Order[];
};

/** Negations in a row. The parser of Postgres fails at the 33rd. */
const RUN = /(?:-[\s!&|():]*){9,}/g;

/** A term with one or two negations for each long run of them, which mean the same. */
const withoutRuns = (term: string) =>
  term.replace(RUN, (run) => (run.split("-").length % 2 === 0 ? "-" : "--"));

/**
 * The words of a search: all must match, the last one as a prefix. Of equal matches, recently updated rows come first.
 * `teamId`: matching rows of this team come before others.
 */
export function search(
  type: SearchedType,
  term: string,
  {
    comments = false,
    teamId,
  }: { readonly comments?: boolean; readonly teamId?: string | undefined },
): Search {
  const searched: Searched = SEARCHED[type];
  const query = ({ sql }: Scope) => sql`(
    select case when right(q, 1) = '''' then q || ':*' else q end::tsquery
    from (select websearch_to_tsquery('simple', ${withoutRuns(term)}::text)::text as q) parsed
  )`;
  const rank: Expression = (row, scope) => {
    const { sql, table } = scope;
    const words = query(scope);
    const matches = (text: Fragment) =>
      sql`to_tsvector('simple', ${searchable(scope, text)}) @@ ${words}`;
    const texts = searched.texts
      .map((name) => sql`coalesce(${row(name)}, '')`)
      .reduce((joined, text) => sql`${joined} || ' ' || ${text}`);
    const title = sql`${row(searched.title)}`;
    const identifier = searched.identifier && row(searched.identifier);
    const [column, of] = searched.comments ?? [];
    return sql`(case
      ${identifier ? sql`when ${identifier} = upper(${term}::text) then 0` : sql``}
      when ${matches(title)} then 1
      ${identifier ? sql`when starts_with(${identifier}, upper(${term}::text)) then 2` : sql``}
      when ${matches(texts)} or ${matches(sql`${title} || ' ' || ${texts}`)} then 3
      ${
        comments && column && of
          ? sql`when exists (
              select from ${table("comments")} c
              where ${scope.sql(`c.${column}`)} = ${row(of)} and ${matches(sql`c.body`)}
            ) then 4`
          : sql``
      }
      when position(lower(${term}::text) in lower(${title} || ' ' || ${texts})) > 0 then 5
    end)`;
  };
  const ofTeam: readonly Order[] =
    teamId && type === "Issue"
      ? [{ by: (row, { sql }) => sql`(${row("teamId")}::text = ${teamId})`, descending: true }]
      : [];
  return {
    where: (row, scope) => scope.sql`${rank(row, scope)} is not null`,
    best: [
      { by: rank },
      ...ofTeam,
      { by: (row, { sql }) => sql`${row("updatedAt")}`, descending: true },
    ],
  };
}
