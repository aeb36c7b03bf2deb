/** Lookups by other keys than the id: an identifier, a key, the slug at the end of a URL. */
import type { Fragment } from "~/db/connect";
import type { Row, Scope } from "~/graphql/model";
import { isUuid } from "~/graphql/scalars";
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
  Issue: byIdentifier(identifierOf),
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

/** Rows with these column values. */
export const having =
  (values: Readonly<Record<string, string>>): Lookup =>
  (row, { sql }) =>
    Object.entries(values)
      .map(([column, value]) => sql`${row(column)}::text = ${value}`)
      .reduce((all, one) => sql`${all} and ${one}`);

/** Notifications that are not snoozed, or only the unread ones. */
export const inInbox =
  (unreadOnly: boolean): Lookup =>
  (row, { sql, now }) =>
    sql`((${row("snoozedUntilAt")} is null or ${row("snoozedUntilAt")} <= ${now}::timestamptz)
      and (not ${unreadOnly}::boolean or ${row("readAt")} is null))`;
