/**
 * Makes the built-in templates larger, for `bun run plans`: with rows that the tests' own users and lists do not meet.
 * Postgres then plans as for an environment of this size.
 */
import type { Pool } from "~/db/connect";

type Growth = {
  readonly service: "chat" | "tracker" | "mail" | "calendar";
  /** Changes one existing row, by SQL expressions; `n` counts. */
  readonly rows: Readonly<Record<string, Readonly<Record<string, string>>>>;
};

const CHANNEL = "'CLARGE'";
const TEAM = "'00000000-0000-4000-8000-00000000a000'::uuid";
const USER = "'00000000-0000-4000-8000-00000000a001'::uuid";
const ADDRESS = "'large@large.test'";
const MAIL_ID = "lpad(to_hex(n), 16, '0')";
const EVENT_ID = "'large' || n";
/** The same id for the same row of each table. */
const numbered = (kind: string) =>
  `('00000000-0000-4000-800${kind}-' || lpad(to_hex(n), 12, '0'))::uuid`;

const without = (...columns: readonly string[]) =>
  Object.fromEntries(columns.map((column) => [column, "null"]));

const GROWTH: readonly Growth[] = [
  {
    service: "chat",
    rows: {
      messages: {
        channel_id: CHANNEL,
        ts: "(1600000000 + n) || '.000000'",
        thread_ts: "null",
        user_id: "'ULARGE'",
      },
      reactions: {
        channel_id: CHANNEL,
        ts: "(1600000000 + n) || '.000000'",
        user_id: "'ULARGE'",
      },
    },
  },
  {
    service: "tracker",
    rows: {
      issues: {
        id: numbered("1"),
        teamId: TEAM,
        number: "n",
        identifier: "'LRG-' || n",
        documentContentId: numbered("2"),
        sharedWithUserIds: "'[]'::jsonb",
        ...without("creatorId", "assigneeId", "parentId", "projectId", "projectMilestoneId"),
        ...without("cycleId"),
      },
      comments: {
        id: numbered("3"),
        issueId: numbered("1"),
        ...without("parentId", "projectId", "projectUpdateId", "initiativeId"),
        ...without("initiativeUpdateId", "documentContentId"),
      },
      issue_history: { id: numbered("4"), issueId: numbered("1") },
      notifications: {
        id: numbered("5"),
        userId: USER,
        issueId: numbered("1"),
        ...without("commentId"),
      },
      reactions: {
        id: numbered("6"),
        issueId: numbered("1"),
        ...without("commentId", "projectUpdateId", "initiativeUpdateId"),
      },
    },
  },
  {
    service: "mail",
    rows: {
      messages: { mailbox: ADDRESS, id: MAIL_ID, threadId: MAIL_ID, ...without("messageId") },
      history: { mailbox: ADDRESS, id: "n", messageId: MAIL_ID, threadId: MAIL_ID },
    },
  },
  {
    service: "calendar",
    rows: {
      events: {
        ...{ id: EVENT_ID, calendarId: ADDRESS, iCalUID: EVENT_ID, version: "0" },
        ...without("recurrence", "recurringEventId", "originalStartTime"),
      },
      event_attendees: { eventId: EVENT_ID, email: ADDRESS, version: "0" },
    },
  },
];

/** Live environments of other users, in `bun run plans`. */
export const ADDED_ENVIRONMENTS = Number(process.env["ADDED_ENVIRONMENTS"] ?? 0);

/** The tables that it makes larger. */
export const LARGE_TABLES: ReadonlySet<string> = new Set(
  GROWTH.flatMap(({ rows }) => Object.keys(rows)),
);

/** Adds this many rows to each of the tables. */
export async function enlarge(sql: Pool, rows: number): Promise<void> {
  for (const { service, rows: tables } of GROWTH) {
    const templates = await sql.unsafe(
      `select schema_name as schema from diorama.templates where service = '${service}'`,
    );
    for (const { schema } of templates as unknown as { schema: string }[]) {
      for (const [table, changes] of Object.entries(tables)) {
        const name = `"${schema}".${table}`;
        const changed = Object.entries(changes).map(([column, value]) => `'${column}', ${value}`);
        await sql.unsafe(`
          insert into ${name}
          select changed.* from generate_series(1, ${rows}) n, jsonb_populate_record(
            (select one from ${name} one limit 1), jsonb_build_object(${changed.join(", ")})
          ) changed
          where exists (select from ${name})
        `);
        await sql.unsafe(`analyze ${name}`);
      }
    }
  }
}

/** The platform's tables that grow with the number of live environments, and the catalog of their schemas. */
export const PLATFORM_TABLES: ReadonlySet<string> = new Set([
  "environments",
  "schemas",
  "runs",
  "pg_namespace",
]);

const SCHEMAS_PER_TRANSACTION = 500;
const FIRST = "'env_' || lpad(to_hex(n), 32, '0')";

/** Adds live environments with empty schemas, each with a run that has ended. */
export async function addEnvironments(sql: Pool, count: number): Promise<void> {
  // Each schema that is created takes an entry in the table of locks.
  for (let done = 0; done < count; done += SCHEMAS_PER_TRANSACTION)
    await sql.unsafe(`
      do $$ begin
        for n in ${done + 1}..${Math.min(done + SCHEMAS_PER_TRANSACTION, count)} loop
          execute format('create schema %I', ${FIRST});
        end loop;
      end $$
    `);
  await sql.unsafe(`
    insert into diorama.schemas (schema_name, template_schema, state, fresh_xid, fingerprint)
      select ${FIRST}, t.schema_name, 'claimed', 3, ''
      from generate_series(1, ${count}) n, (select schema_name from diorama.templates limit 1) t;
    insert into diorama.environments
        (environment_id, user_id, key_id, service, template_name, schema_name, acting_user_id, token_hash, expires_at)
      select 'large_' || n, 'user_' || n % 50, 'key_large', 'chat', 'chat_default', ${FIRST}, 'U01AGENTONE', '',
        now() + interval '7 days'
      from generate_series(1, ${count}) n;
    insert into diorama.runs
        (run_id, environment_id, schema_name, user_id, before_snapshot, capture, status, ended_at)
      select 'large_' || n, 'large_' || n, ${FIRST}, 'user_' || n % 50, '', 'log', 'completed', now()
      from generate_series(1, ${count}) n;
  `);
  await sql.unsafe(
    "vacuum analyze diorama.schemas, diorama.environments, diorama.runs, pg_namespace",
  );
}
