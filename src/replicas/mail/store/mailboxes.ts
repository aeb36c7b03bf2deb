/** Mailboxes, and the other addresses of an environment. */
import type { MailSession } from "~/replicas/mail/operation";
import type { FilterRow } from "~/replicas/mail/store/filters";
import type { Rows } from "~/replicas/mail/store/rows";
import type { DirectoryEntry, Person } from "~/replicas/replica";

export type MailboxRow = Rows["mailboxes"];

export async function findMailbox(
  { sql, t }: MailSession,
  address: string,
): Promise<MailboxRow | undefined> {
  const [row] = await sql<MailboxRow[]>`
    select * from ${t.mailboxes} where "emailAddress" = ${address} and type = 'person'
  `;
  return row;
}

/** Serializes changes of the labels, filters, drafts and addresses of a mailbox until the end of the transaction. */
export async function lockMailbox({ sql, t }: MailSession, mailbox: string): Promise<void> {
  await sql`select from ${t.mailboxes} where "emailAddress" = ${mailbox} for update`;
}

export type Destination = MailboxRow & { readonly filters: readonly FilterRow[] };

/** The mailboxes, groups and bouncing addresses among these, with the filters of mailboxes. */
export async function listDestinations(
  { sql, t }: MailSession,
  addresses: readonly string[],
): Promise<Destination[]> {
  return await sql<Destination[]>`
    select m.*, coalesce((
      select jsonb_agg(to_jsonb(f) order by f.id) from ${t.filters} f where f.mailbox = m."emailAddress"
    ), '[]') as filters
    from ${t.mailboxes} m where m."emailAddress" = any(${[...addresses]}::text[])
    order by m."emailAddress"
  `;
}

/** The domains that belong to the people of the environment. */
export async function listDomains({ sql, t }: MailSession): Promise<string[]> {
  const rows = await sql<{ domain: string }[]>`
    select distinct split_part("emailAddress", '@', 2) as domain from ${t.mailboxes} where type <> 'bounces'
  `;
  return rows.map(({ domain }) => domain);
}

/** Columns of settings, each a JSON value. */
export type SettingName =
  | "watch"
  | "vacation"
  | "autoForwarding"
  | "sendAs"
  | "imap"
  | "pop"
  | "language";

export async function updateSetting(
  { sql, t }: MailSession,
  mailbox: string,
  name: SettingName,
  value: object | null,
): Promise<void> {
  await sql`
    update ${t.mailboxes} set ${sql(name)} = ${value && sql.json(value as never)}::jsonb
    where "emailAddress" = ${mailbox}
  `;
}

/** The changes that a user has asked to be notified of. Times are milliseconds since 1970, as texts. */
export type Watch = {
  readonly topicName: string;
  readonly labelIds?: readonly string[];
  readonly labelFilterBehavior?: string;
  /** The older name of the same. */
  readonly labelFilterAction?: string;
  /** Of the mailbox when it began. */
  readonly historyId?: string;
  readonly expiration: string;
};

/** The watches of some mailboxes, by address. */
export async function listWatches(
  { sql, t }: MailSession,
  mailboxes: readonly string[],
): Promise<[string, Watch | null][]> {
  const rows = await sql<{ address: string; watch: Watch | null }[]>`
    select "emailAddress" as address, watch from ${t.mailboxes}
    where "emailAddress" = any(${[...mailboxes]}::text[])
  `;
  return rows.map(({ address, watch }) => [address, watch]);
}

/** The number of the next label of a mailbox. */
export async function nextLabelNumber({ sql, t }: MailSession, mailbox: string): Promise<number> {
  const [row] = await sql<{ number: number }[]>`
    update ${t.mailboxes} set "labelSequence" = "labelSequence" + 1
    where "emailAddress" = ${mailbox} returning "labelSequence" as number
  `;
  return row?.number ?? 0;
}

export async function findUserId(
  { sql, t }: MailSession,
  by: { readonly id: string } | { readonly email: string },
): Promise<string | undefined> {
  const address = "id" in by ? by.id : by.email.toLowerCase();
  const [row] = await sql<{ id: string }[]>`
    select "emailAddress" as id from ${t.mailboxes} where "emailAddress" = ${address} and type = 'person'
  `;
  return row?.id;
}

export async function listPeople({ sql, t }: MailSession, limit: number): Promise<Person[]> {
  return await sql<Person[]>`
    select "emailAddress" as id, name, "emailAddress" as email from ${t.mailboxes}
    where type = 'person' order by "emailAddress" limit ${limit}
  `;
}

export async function listDirectory({ sql, t }: MailSession): Promise<DirectoryEntry[]> {
  return await sql<DirectoryEntry[]>`
    select "emailAddress" as email, name, null as zone, true as "isActive" from ${t.mailboxes}
    where type = 'person' order by "emailAddress"
  `;
}
