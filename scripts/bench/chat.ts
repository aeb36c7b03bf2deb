/** The most frequent call of chat, compared with its statement alone in pgbench. */
import { existsSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import postgres from "postgres";
import type { Sql } from "~/db/connect";
import { tablesOf } from "~/db/session";
import { openSocket } from "~/db/socket";
import type { ChatSession } from "~/replicas/chat/method";
import { PLAIN } from "~/replicas/chat/posting";
import { insertMessage } from "~/replicas/chat/store/posting";
import { REAL } from "~/source";
import { inTurn, median, type Row, throughput } from "./measure";
import { type Answer, type Bench, CHANNEL } from "./server";

const CLIENTS = 8;
const SECONDS = 3;

/** The statement that posts a message, with inlined values, as a script for pgbench. */
async function postScript(bench: Bench, environment: Answer, client: number): Promise<string> {
  let statement = "";
  const options = {
    max: 1,
    socket: () => openSocket(bench.databaseUrl),
    debug: (_: number, query: string, parameters: unknown[]) => {
      if (!query.includes("insert into")) return;
      statement = query.replace(/\$(\d+)/g, (_, place) => {
        const value: unknown = parameters[Number(place) - 1];
        return value === null ? "null" : `'${String(value).replaceAll("'", "''")}'`;
      });
    },
  };
  const sql = postgres(bench.databaseUrl, options);
  const schema = String(environment["schemaName"]);
  const tables = await sql<{ name: string }[]>`
    select relname as name from pg_class where relnamespace = ${schema}::regnamespace and relkind = 'r'
  `;
  const session: ChatSession = {
    sql: sql as unknown as Sql,
    t: tablesOf(sql as unknown as Sql, schema, tables) as ChatSession["t"],
    schema,
    prefix: "",
    source: REAL,
    transaction: () => Promise.reject(new Error("the statement needs no transaction")),
    hasMailboxes: false,
    send: () => Promise.reject(new Error("the statement sends nothing")),
  };
  await insertMessage(session, { channel: CHANNEL, user: "U01AGENTONE", text: "hello", ...PLAIN });
  await sql.end();
  const file = join(tmpdir(), `diorama-bench-${client}.sql`);
  await writeFile(file, `${statement.replace(/\s+/g, " ").trim()};\n`);
  return file;
}

async function pgbench(bench: Bench, scripts: readonly string[]): Promise<number> {
  const child = Bun.spawn(
    [
      join(bench.cluster.bin, "pgbench"),
      ...["-n", "-M", "prepared", "-c", String(CLIENTS), "-j", "2", "-T", String(SECONDS)],
      ...scripts.flatMap((script) => ["-f", script]),
      bench.databaseUrl,
    ],
    { stderr: "ignore" },
  );
  const output = await new Response(child.stdout).text();
  return Number(/tps = ([\d.]+)/.exec(output)?.[1]);
}

export async function statement(bench: Bench): Promise<Row> {
  const environments = await Promise.all(
    Array.from({ length: CLIENTS }, () => bench.environment()),
  );
  const scripts = await Promise.all(
    environments.map((environment, client) => postScript(bench, environment, client)),
  );
  const hasPgbench = existsSync(join(bench.cluster.bin, "pgbench"));
  const samples = await inTurn(4, {
    async ours() {
      return [
        await throughput(CLIENTS, SECONDS, (client) =>
          bench.chat(environments[client] ?? {}, "chat.postMessage", {
            channel: CHANNEL,
            text: "hello",
          }),
        ),
      ];
    },
    base: async () => (hasPgbench ? [await pgbench(bench, scripts)] : []),
  });
  return {
    name: "chat.postMessage, 8 clients in 8 environments",
    ours: median(samples.ours),
    base: hasPgbench ? median(samples.base) : undefined,
    unit: "/s",
    comparedWith: hasPgbench ? "the same statement by pgbench" : "pgbench is not on this machine",
    bar: hasPgbench ? { least: 0.6 } : {},
  };
}
