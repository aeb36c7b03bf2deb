/**
 * Makes the built-in templates larger, for `bun run plans`: with rows that the tests' own users and lists do not meet.
 * Postgres then plans as for an environment of this size.
 */
import type { Pool } from "~/db/connect";

type Growth = {
  readonly service: "chat" | "tracker";
  /** Changes one existing row, by SQL expressions; `n` counts. */
  readonly rows: Readonly<Record<string, Readonly<Record<string, string>>>>;
};

const CHANNEL = "'CLARGE'";
const TEAM = "'00000000-0000-4000-8000-00000000a000'::uuid";
const USER = "'00000000-0000-4000-8000-00000000a001'::uuid";
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
];

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
