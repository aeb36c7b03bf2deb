/** An environment of chat_default with a few more people in it, and the official client for each of them. */
import { beforeAll, expect } from "bun:test";
import { WebClient } from "@slack/web-api";
import type { Pool } from "~/db/connect";
import ddl from "~/replicas/chat/tables.sql" with { type: "text" };
import { useDatabase, useSharedDatabase } from "../../support/database";
import { expectOwnHosts } from "../../support/hosts";
import { useProgram } from "../../support/program";

export const GENERAL = "C01GENERAL";
export const RANDOM = "C02RANDOM";

export const AGENT = "U01AGENTONE";
/** Owner of the workspace. */
export const JOHN = "U02JOHNADOE";
export const ROBIN = "U03ROBINRAY";
export const GUEST = "U04GUEST";
/** Deactivated. */
export const GONE = "U05GONE";
export const BOT = "U06BOT";
/** A bot that is in no channel. */
export const STRAY = "U07STRAY";

/** Messages of chat_default: by john and robin in general, by the agent in random. */
export const WELCOME = "1767603600.731938";
export const HELLO = "1767604200.989456";
export const LUNCH = "1767607800.990316";

const EXTRAS = [
  { id: GUEST, name: "gus", real_name: "Gus Guest", is_restricted: true },
  { id: GONE, name: "gina", real_name: "Gina Gone", deleted: true },
  {
    id: BOT,
    name: "buildbot",
    real_name: "Build Bot",
    is_bot: true,
    bot_id: "B06BOT",
    app_id: "A06BOT",
  },
  {
    id: STRAY,
    name: "stray",
    real_name: "Stray Bot",
    is_bot: true,
    bot_id: "B07STRAY",
    app_id: "A07STRAY",
  },
].map((user) => ({
  ...user,
  is_admin: false,
  is_owner: false,
  is_primary_owner: false,
  profile: { real_name: user.real_name, display_name: user.name, email: `${user.name}@acme.test` },
}));

const tables = [...ddl.matchAll(/^create table (\w+)/gm)].map(([, name]) => name ?? "");

export type Scene = {
  readonly agent: WebClient;
  readonly john: WebClient;
  readonly robin: WebClient;
  readonly guest: WebClient;
  readonly bot: WebClient;
  /** Without a trailing slash. */
  readonly url: string;
  readonly sql: Pool;
  readonly databaseUrl: string;
  readonly schema: string;
  /** A client of another user, or of another generation. */
  as(user: string): WebClient;
  /** Every row of every table. */
  state(): Promise<unknown>;
  /** A trigger for a user, as the platform issues it. */
  trigger(user?: string, ttlSeconds?: number): Promise<string>;
  /** Changes rows as no method can: `write("teams", "message_limit = 0")`. */
  write(table: string, set: string, where?: string): Promise<void>;
};

/**
 * Declares a server for the tests of this file. The result makes scenes, each in a separate environment. `prepare`:
 * changes the database before the server connects to it.
 */
export function useScenes(
  prepare?: (sql: Pool) => Promise<void>,
): (templateName?: string) => Promise<Scene> {
  const database = prepare ? useDatabase() : useSharedDatabase();
  beforeAll(async () => prepare?.(database.sql));
  const program = useProgram(database);
  return async (templateName = "chat_default") => {
    const { environmentUrl, schemaName: schema } = await program.environment({
      templateName,
      clock: "real", // the tests name moments of their own time
    });
    const { sql } = database;
    const url = `${program.url}${environmentUrl}`;
    await sql`
      insert into ${sql(`${schema}.users`)}
      select (jsonb_populate_record(u, e)).*
      from ${sql(`${schema}.users`)} u, jsonb_array_elements(${sql.json(EXTRAS)}) e where u.id = ${JOHN}
    `;
    await sql`
      insert into ${sql(`${schema}.channel_members`)}
      select channel_id, e, joined_at + 10, last_read, is_open
      from ${sql(`${schema}.channel_members`)}, unnest(${[GUEST, BOT]}::text[]) e
      where user_id = ${JOHN} and channel_id = ${GENERAL}
    `;
    const as = (user: string) => clientAs(url, user);
    return {
      agent: as(AGENT),
      john: as(JOHN),
      robin: as(ROBIN),
      guest: as(GUEST),
      bot: as(BOT),
      url,
      sql,
      databaseUrl: database.url,
      schema,
      as,
      async state() {
        const rows = tables.map(
          (name) => `
            select '${name}' as name, jsonb_agg(to_jsonb(x) order by to_jsonb(x)::text) as rows
            from "${schema}"."${name}" x
          `,
        );
        const found = await sql.unsafe<{ name: string; rows: unknown }[]>(rows.join("union all"));
        return Object.fromEntries(found.map(({ name, rows }) => [name, rows ?? []]));
      },
      trigger: (user, ttlSeconds) => triggerAt(url, user, ttlSeconds),
      async write(table, set, where = "true") {
        await sql.unsafe(`update "${schema}"."${table}" set ${set} where ${where}`);
      },
    };
  };
}

/** A trigger of the environment at `url`. */
export async function triggerAt(url: string, userId = AGENT, ttlSeconds = 60): Promise<string> {
  const { origin, pathname } = new URL(url);
  const response = await fetch(`${origin}/api/platform/env/${pathname.split("/")[3]}/triggers`, {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify({ userId, ttlSeconds }),
  });
  const { triggerId, detail }: any = await response.json();
  if (!triggerId) throw new Error(detail);
  return triggerId;
}

/** Tokens name the user who calls. */
export const clientAs = (url: string, user: string): WebClient =>
  new CheckedClient(`xoxp-${user}`, {
    slackApiUrl: `${url}/`,
    retryConfig: { retries: 0 },
    logger: SILENT,
  });

/** The official client. No answer may lead to a host of the real service. */
class CheckedClient extends WebClient {
  override async apiCall(...[method, options]: Parameters<WebClient["apiCall"]>) {
    const answer = await super.apiCall(method, options);
    expectOwnHosts(JSON.stringify(answer), JSON.stringify(options ?? {}));
    return answer;
  }
}

const SILENT = {
  debug() {},
  info() {},
  warn() {},
  error() {},
  setLevel() {},
  getLevel: () => "error" as never,
  setName() {},
};

/** The answer to a rejected call. Fails when it is not rejected. */
export async function refused(call: Promise<unknown>): Promise<any> {
  const answer: any = await call.catch((error) => error?.data ?? error);
  expect(answer?.ok, JSON.stringify(answer) ?? String(answer)).toBe(false);
  return answer;
}

/** The error code of a rejected call, or "ok". */
export const outcome = (call: Promise<unknown>): Promise<string> =>
  call.then(
    () => "ok",
    (error) => error.data.error,
  );
