/** Checks that a database meets the requirements. Runs at every start, and in `diorama doctor`. */
import { tryStream } from "~/capture/replication";
import { choosePlugin, type Plugin } from "~/capture/slot";
import { type Config, ConfigError } from "~/config";
import { errorCode, INSUFFICIENT_PRIVILEGE, isUnavailable, type Pool } from "~/db/connect";
import { mayUseOrigins, ORIGINS_GRANT } from "~/db/origins";
import { connectionProblem } from "~/db/problem";
import { TlsRefused } from "~/db/socket";
import { BUILTIN_TEMPLATES } from "~/platform/templates/builtin";
import { listNames } from "~/platform/templates/store";
import { capacityChecks } from "~/program/capacity-checks";
import { type Check, PreflightError } from "~/program/check";

type PreflightResult = {
  readonly plugin: Plugin;
  readonly checks: readonly Check[];
  readonly warnings: readonly string[];
};

const OLDEST = 140_000;
/** For the pools, the leader's stream and its pool, and the listener. */
const CONNECTIONS_NEEDED = 30;
const SLOTS_NEEDED = 10;
const SENDERS_NEEDED = 10;

/** Minor releases whose logical decoding can fail permanently ("invalid memory alloc request size", BUG #18938). */
const FAULTY: Record<number, { found: number; fixed: string }> = {
  14: { found: 140_018, fixed: "14.19" },
  15: { found: 150_013, fixed: "15.14" },
  16: { found: 160_009, fixed: "16.10" },
  17: { found: 170_005, fixed: "17.6" },
};

/** The fault of a release, and the release that fixes it; undefined for a good one. */
export function faultIn(version: number, text: string): string | undefined {
  const faulty = FAULTY[Math.floor(version / 10_000)];
  return faulty?.found === version
    ? `PostgreSQL ${text} has a fault in logical decoding; ${faulty.fixed} fixes it`
    : undefined;
}

const alter = (name: string, value: string) =>
  `ALTER SYSTEM SET ${name} = ${value}; then restart Postgres`;

type Facts = {
  version: number;
  versionText: string;
  encoding: string;
  walLevel: string;
  slots: number;
  senders: number;
  connections: number;
  fsync: string;
  freeSlots: number;
  replication: boolean;
  superuser: boolean;
  mayCreate: boolean;
  slotNames: string[];
};

async function readFacts(pool: Pool): Promise<Facts> {
  const [facts] = await pool<Facts[]>`
    select
      current_setting('server_version_num')::int as version, current_setting('server_version') as "versionText",
      current_setting('server_encoding') as encoding, current_setting('wal_level') as "walLevel",
      current_setting('max_replication_slots')::int as slots, current_setting('max_wal_senders')::int as senders,
      current_setting('max_connections')::int as connections, current_setting('fsync') as fsync,
      current_setting('max_replication_slots')::int - (select count(*)::int from pg_replication_slots) as "freeSlots",
      array(select slot_name::text from pg_replication_slots) as "slotNames",
      r.rolreplication or exists ( -- Amazon RDS gives the attribute to nobody, and this role instead
        select from pg_roles g where g.rolname = 'rds_replication' and pg_has_role(g.oid, 'member')
      ) as replication,
      r.rolsuper as superuser,
      has_database_privilege(current_database(), 'create') as "mayCreate"
    from pg_roles r where r.rolname = current_user
  `;
  if (!facts) throw new Error("the current role is not in pg_roles");
  return facts;
}

const NEEDS_DIRECT =
  "DATABASE_URL leads through a pooler; a direct connection to Postgres is needed";
/** An unknown startup parameter, or a command that the other side does not understand. */
const NOT_POSTGRES = new Set(["08P01", "42601"]);

/** Why the log cannot be streamed over this URL: a pooler in transaction mode passes statements only. */
function streamProblem(error: unknown): string {
  const code = errorCode(error);
  if (NOT_POSTGRES.has(code ?? "")) return NEEDS_DIRECT;
  if (code === INSUFFICIENT_PRIVILEGE)
    return "the server does not let the role replicate, regardless of its attributes";
  return `DATABASE_URL: the log cannot be streamed (${code ?? "unknown"}): ${error instanceof Error ? error.message : error}`;
}

/** Throws PreflightError with every problem. `onCheck` gets each check, also those before a problem. */
export async function checkDatabase(
  pool: Pool,
  config: Config,
  onCheck: (check: Check) => void = () => {},
): Promise<PreflightResult> {
  const facts = await readFacts(pool).catch((error) => {
    if (NOT_POSTGRES.has(errorCode(error) ?? "")) throw new PreflightError([NEEDS_DIRECT]);
    const problem = connectionProblem(config.DATABASE_URL, error);
    if (!problem) throw error;
    throw new PreflightError([problem], isUnavailable(error) && !(error instanceof TlsRefused));
  });
  const checks: Check[] = [];
  const add = (check: Check) => {
    checks.push(check);
    onCheck(check);
  };
  for (const check of generalChecks(facts, config)) add(check);
  let plugin: Plugin = "pgoutput";
  if (config.LOGICAL_REPLICATION_ENABLED) {
    const needed = replicationChecks(facts);
    for (const check of needed) add(check);
    add(originsCheck(await mayUseOrigins(pool)));
    if (needed.every(({ problem }) => problem === undefined)) {
      const streamed = await streamCheck(pool, config, facts);
      ({ plugin } = streamed);
      add(streamed.check);
    }
  } else add({ found: "changes are captured by snapshots" });
  for (const check of await capacityChecks(pool, config)) add(check);
  const problems = checks.flatMap(({ problem }) => problem ?? []);
  if (problems.length > 0) throw new PreflightError(problems);
  return { plugin, checks, warnings: checks.flatMap(({ warning }) => warning ?? []) };
}

/** A check with its problem if the requirement does not hold. */
const required = (found: string, holds: boolean, problem: string): Check => ({
  found,
  ...(!holds && { problem }),
});

/** A check with its warning if there is one. */
const noted = (found: string, warning: string | false | undefined): Check => ({
  found,
  ...(warning && { warning }),
});

const generalChecks = (facts: Facts, { development }: Config): readonly Check[] => [
  {
    ...required(
      `PostgreSQL is ${facts.versionText}`,
      facts.version >= OLDEST,
      `PostgreSQL ${facts.versionText} found; 14 or later is needed`,
    ),
    ...noted(`PostgreSQL is ${facts.versionText}`, faultIn(facts.version, facts.versionText)),
  },
  required(
    `server_encoding is ${facts.encoding}`,
    facts.encoding === "UTF8",
    `server_encoding is ${facts.encoding}; a database with UTF8 is needed`,
  ),
  required(
    "the role may create schemas",
    facts.mayCreate,
    "the role may not create schemas; GRANT CREATE ON DATABASE … TO the role",
  ),
  required(
    `max_connections is ${facts.connections}`,
    facts.connections >= CONNECTIONS_NEEDED,
    `max_connections is ${facts.connections}; at least ${CONNECTIONS_NEEDED} are needed: ${alter("max_connections", "100")}`,
  ),
  noted(
    `fsync is ${facts.fsync}`,
    facts.fsync === "off" && "fsync is off: a crash of the machine can lose everything",
  ),
  noted(
    `the role is ${facts.superuser ? "a" : "no"} superuser`,
    facts.superuser &&
      !development &&
      "the role is a superuser; LOGIN, REPLICATION and CREATE on the database are enough",
  ),
];

const replicationChecks = (facts: Facts): readonly Check[] => [
  required(
    `wal_level is ${facts.walLevel}`,
    facts.walLevel === "logical",
    `wal_level is "${facts.walLevel}", needs "logical": ${alter("wal_level", "logical")}`,
  ),
  required(
    `max_replication_slots is ${facts.slots}`,
    facts.slots >= SLOTS_NEEDED,
    `max_replication_slots is ${facts.slots}; at least ${SLOTS_NEEDED} are needed: ${alter("max_replication_slots", "10")}`,
  ),
  required(
    `max_wal_senders is ${facts.senders}`,
    facts.senders >= SENDERS_NEEDED,
    `max_wal_senders is ${facts.senders}; at least ${SENDERS_NEEDED} are needed: ${alter("max_wal_senders", "10")}`,
  ),
  required(
    `${facts.freeSlots} replication slots are free`,
    facts.slots < SLOTS_NEEDED || facts.freeSlots > 0,
    `max_replication_slots is ${facts.slots}, all in use by: ${facts.slotNames.join(", ")}`,
  ),
  required(
    "the role may replicate",
    facts.replication || facts.superuser,
    "the role may not replicate; ALTER ROLE … REPLICATION",
  ),
];

const originsCheck = (mayUse: boolean): Check =>
  noted(
    `the role may ${mayUse ? "" : "not "}use replication origins`,
    !mayUse &&
      `the role may not use replication origins, so capture decodes the building of schemas as well; ${ORIGINS_GRANT}`,
  );

/** Streams the log as capture does. */
async function streamCheck(
  pool: Pool,
  config: Config,
  { version }: Facts,
): Promise<{ plugin: Plugin; check: Check }> {
  const choose = () =>
    choosePlugin(pool, config.CAPTURE_PLUGIN).catch((error) => {
      throw new PreflightError([pluginProblem(config.CAPTURE_PLUGIN, version, error)]);
    });
  try {
    const plugin = await tryStream(config.DATABASE_URL, choose);
    return { plugin, check: { found: `changes are captured with ${plugin}` } };
  } catch (error) {
    if (isUnavailable(error)) throw error;
    const problem =
      error instanceof PreflightError ? error.problems.join("; ") : streamProblem(error);
    return { plugin: "pgoutput", check: { found: "the log cannot be streamed", problem } };
  }
}

function pluginProblem(plugin: string, version: number, error: unknown): string {
  const major = Math.floor(version / 10_000);
  switch (errorCode(error)) {
    case "58P01":
      return `CAPTURE_PLUGIN is ${plugin}, which is not installed (apt install postgresql-${major}-wal2json); auto or pgoutput need nothing`;
    case INSUFFICIENT_PRIVILEGE:
      return `CAPTURE_PLUGIN is ${plugin}, which the server does not let be used: ALTER SYSTEM SET output_plugin_libraries = pgoutput, ${plugin}; then SELECT pg_reload_conf()`;
    default:
      return `the output plugin ${plugin} could not be tried (${errorCode(error) ?? "unknown"})`;
  }
}

/** ENVIRONMENT_POOL_TARGETS names templates, which are in the database. Throws ConfigError. */
export async function requireKnownTargets(pool: Pool, config: Config): Promise<void> {
  if (!config.ENVIRONMENT_POOL_TARGETS) return;
  const names = new Set([...(config.SEED ? BUILTIN_TEMPLATES : []), ...(await listNames(pool))]);
  const unknown = [...config.ENVIRONMENT_POOL_TARGETS.keys()].filter((name) => !names.has(name));
  if (unknown.length > 0)
    throw new ConfigError([
      `ENVIRONMENT_POOL_TARGETS names ${unknown.join(", ")}; needed: names of templates (${[...names].join(", ")})`,
    ]);
}
