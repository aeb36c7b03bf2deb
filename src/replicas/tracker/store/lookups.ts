/** Lookups by other keys than the id: an identifier, a key, the slug at the end of a URL. */
import type { Fragment, Sql } from "~/db/connect";
import type { Row, Scope, Value } from "~/graphql/model";
import { isUuid } from "~/graphql/uuid";
import { identifierOf, slugIdOf } from "~/replicas/tracker/ids";

type Lookup = (row: Row, scope: Scope) => Fragment;
type Parser = (text: string) => Lookup | undefined;

const equals = (column: string, value: string | undefined): Lookup | undefined =>
  value === undefined ? undefined : (row, { sql }) => sql`${row(column)} = ${value}`;

const bySlug: Parser = (text) => equals("slugId", slugIdOf(text));

/** A current or former identifier. */
const byIdentifier =
  (form: (text: string) => string | undefined): Parser =>
  (text) => {
    const identifier = form(text);
    return identifier === undefined
      ? undefined
      : (row, { sql }) =>
          sql`(${row("identifier")} = ${identifier} or ${identifier} = any(${row("previousIdentifiers")}))`;
  };

/**
 * The ids of the issues with these current or former identifiers. The number in an identifier leads to the issue
 * through the index of numbers; `offset 0` keeps the planner from joining all issues. To be compared as an array: a join
 * with a limit would try the issues one by one, in the order of the list.
 */
export function issuesIdentified(
  { sql, table }: { readonly sql: Sql; readonly table: (name: "teams" | "issues") => Value },
  identifiers: readonly string[],
): Fragment {
  const numbers = identifiers.map((identifier) => Number(/\d*$/.exec(identifier)?.[0]));
  return sql`
    select found.id from ${table("teams")} team cross join lateral (
      select id, identifier from ${table("issues")}
      where "teamId" = team.id and number = any(${numbers}::int[]) offset 0
    ) found where found.identifier = any(${identifiers}::text[])
    union all
    select former.id from ${table("issues")} former
    where former."previousIdentifiers" <> '{}' and former."previousIdentifiers" && ${identifiers}::text[]
  `;
}

const issueIdentified: Parser = (text) => {
  const identifier = identifierOf(text);
  return identifier === undefined
    ? undefined
    : (row, scope) =>
        scope.sql`${row("id")} = any(array(${issuesIdentified(scope, [identifier])}))`;
};

const either =
  (...parsers: readonly Parser[]): Parser =>
  (text) => {
    for (const parse of parsers) {
      const lookup = parse(text);
      if (lookup) return lookup;
    }
    return undefined;
  };

const form = (pattern: RegExp) => (text: string) =>
  pattern.test(text) ? text.toUpperCase() : undefined;

const READINGS: Readonly<Record<string, Parser>> = {
  CustomView: bySlug,
  Document: bySlug,
  Emoji: (text) => equals("name", text),
  Initiative: either(bySlug, byIdentifier(form(/^i-\d+$/i))),
  Issue: issueIdentified,
  Project: either(bySlug, byIdentifier(form(/^p-[a-z0-9]+-\d+$/i))),
  Team: (text) => equals("key", text.toUpperCase()),
};

/** The condition for a key other than the id; undefined when the text cannot be one. */
export const lookUp = (type: string, text: string): Lookup | undefined =>
  isUuid(text) ? undefined : READINGS[type]?.(text);

/** Issues with an attachment whose address contains this text. */
export const withAttachmentTo =
  (text: string): Lookup =>
  (row, { sql, table }) =>
    sql`exists (
      select from ${table("attachments")} a
      where a."issueId" = ${row("id")} and position(${text}::text in a.url) > 0
    )`;

/** Teams that the viewer administers: all of them as an admin, otherwise those they own. */
export const administeredBy: Lookup = (row, { sql, table, actor }) => sql`(
  exists (select from ${table("users")} u where u.id = ${actor}::uuid and u.admin) or exists (
    select from ${table("team_memberships")} m
    where m."teamId" = ${row("id")} and m."userId" = ${actor}::uuid and m.owner
  )
)`;

/** Teams that are no longer in use. */
export const retired: Lookup = (row, { sql }) =>
  sql`(${row("archivedAt")} is not null or ${row("retiredAt")} is not null)`;

/** The row whose id has this prefix. */
export const withHash =
  (hash: string): Lookup =>
  (row, { sql }) =>
    sql`starts_with(${row("id")}::text, ${hash.toLowerCase()}::text)`;

/** Rows with these column values. An id is compared as it is, so that an index can serve. */
export const having =
  (values: Readonly<Record<string, string>>): Lookup =>
  (row, { sql }) =>
    Object.entries(values)
      .map(([column, value]) =>
        isUuid(value) ? sql`${row(column)} = ${value}` : sql`${row(column)}::text = ${value}`,
      )
      .reduce((all, one) => sql`${all} and ${one}`);

/** Notifications that are not snoozed, or only the unread ones. */
export const inInbox =
  ({ unreadOnly }: { readonly unreadOnly: boolean }): Lookup =>
  (row, { sql, now }) =>
    sql`((${row("snoozedUntilAt")} is null or ${row("snoozedUntilAt")} <= ${now}::timestamptz)
      and (not ${unreadOnly}::boolean or ${row("readAt")} is null))`;
