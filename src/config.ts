/** Every setting: name, format, default, meaning. The only reader of the environment. */
import { misspelt, proxied } from "~/input/setting-warnings";
import {
  bytes,
  cell,
  databaseUrl,
  type Environment,
  eventTargets,
  flag,
  headers,
  httpUrl,
  isLoopback,
  isUrl,
  Needed,
  oneOf,
  optional,
  origins,
  poolTargets,
  shown,
  text,
  whole,
} from "~/input/settings";
import { FORMATS, LEVELS, type Level } from "~/log";

type Setting<T> = {
  /** Throws an error that names the required format. */
  readonly parse: (text: string, env: Environment) => T;
  readonly format: string;
  readonly fallback: string | undefined;
  readonly help: string;
  readonly optional?: true;
};

const SHUTDOWN_DELAY = 2;
const LOOPBACK = ["127.0.0.0/8", "::1/128"];
const PLUGINS = ["auto", "wal2json", "pgoutput"] as const;

const setting = <T>(
  parse: Setting<T>["parse"],
  format: string,
  fallback: string | undefined,
  help: string,
): Setting<T> => ({ parse, format, fallback, help });

export const SETTINGS = {
  DATABASE_URL: setting(
    databaseUrl,
    "postgres://…",
    undefined,
    "PostgreSQL connection string, for a Unix socket `postgres:///database?host=/directory`. A direct connection: no pooler in transaction mode.",
  ),
  ENVIRONMENT: setting(
    text,
    "text",
    "development",
    "Deployment name. `development` listens on 127.0.0.1 and takes calls from its own machine to localhost, 127.0.0.1 and [::1] without a key, unless a page of another site makes them; any other name is production.",
  ),
  HOST: setting(
    text,
    "address",
    "",
    "Address to listen on. Empty: 127.0.0.1 in development, otherwise 0.0.0.0. In development with an address that other machines reach, the start prints a key for them.",
  ),
  PORT: setting(whole(0, 65_535), "0 to 65535", "3000", "Port to listen on. 0: any free one."),
  ADMIN_PORT: setting(
    optional(whole(0, 65_535)),
    "0 to 65535",
    "",
    "Port for `/livez`, `/readyz` and `/metrics` without a key. Empty: on `PORT`, where metrics require one.",
  ),
  TRUST_PROXY: setting(
    flag,
    "true, false",
    "false",
    "`true`: every call comes through a proxy that sets `X-Forwarded-Proto` and `X-Forwarded-Host` itself. `false`: both headers are ignored.",
  ),
  CORS_ORIGINS: setting(
    origins,
    "origin,… or *",
    "",
    "Origins that may call from a browser: `https://app.example.com,http://localhost:5173`. Listed origins may also call a development server without a key. Empty: none.",
  ),
  SHUTDOWN_DELAY: setting(
    optional(whole(0, 300)),
    "seconds",
    "",
    "How long calls are still accepted after SIGTERM, while `/readyz` fails so that load balancers stop sending them. Empty: 0 in development, otherwise 2.",
  ),
  SEED: setting(
    flag,
    "true, false",
    "true",
    "Build missing or changed built-in templates at start.",
  ),
  LOGICAL_REPLICATION_ENABLED: setting(
    flag,
    "true, false",
    "true",
    "Capture changes from the write-ahead log. `false`: compare snapshots instead, slower by the size of the environment.",
  ),
  CAPTURE_PLUGIN: setting(
    oneOf(...PLUGINS),
    PLUGINS.join(", "),
    "auto",
    "Output plugin that decodes the log. `auto`: wal2json where it is installed, else pgoutput, which every Postgres has.",
  ),
  CAPTURE_WAL_BUDGET: setting(
    bytes,
    "kB, MB, GB, TB",
    "2GB",
    "Amount of log that active runs may retain. Above it the oldest run fails, so that the disk of the database does not fill up.",
  ),
  REPLICATION_IDLE_TIMEOUT: setting(
    whole(1, 86_400),
    "seconds",
    "300",
    "Time without a run after which capture stops and drops its slot.",
  ),
  ENVIRONMENT_POOL_TARGETS: setting(
    poolTargets,
    "name:count,…",
    "",
    "Ready schemas kept for each template. Empty: for every built-in template as many as the last hour needed, from 20 to 100; in development 2, plus the recently used templates. Beside them, for bursts: empty schemas, twice as many as the largest number of a service, up to 200.",
  ),
  CELL: setting(
    optional(cell),
    "two hex digits",
    "",
    "The cell of this server: the first digits of every id that it creates. Each of several deployments behind one balancer has its own; an id of another one is answered with 421 `wrong_cell`. All servers of one database need the same value, from its first environment on. Empty: no cells.",
  ),
  MAX_ENVIRONMENTS: setting(
    optional(whole(0, 1_000_000)),
    "0 to 1000000",
    "",
    "Maximum number of environments in the database; more get 503 `capacity_exhausted`. 0: no new ones, to drain a deployment. Empty: what this Postgres carries, 10000 with its usual settings. A disk that runs low stops new ones earlier.",
  ),
  DATABASE_DISK: setting(
    optional(bytes),
    "kB, MB, GB, TB",
    "",
    "Size of the disk of a Postgres on another machine, whose free space no statement can read: what databases and log take is subtracted from it. Empty: the disk is read if Postgres is on this machine.",
  ),
  POOL_REFILL_CONCURRENCY: setting(
    whole(1, 64),
    "1 to 64",
    "10",
    "Maximum number of schemas built at the same time; never more than the machine has cores.",
  ),
  MAINTENANCE_CYCLE_INTERVAL: setting(
    whole(1, 3_600),
    "seconds",
    "10",
    "Time between maintenance cycles: expiry, recycling, refilling the pool.",
  ),
  MAINTENANCE_IDLE_TIMEOUT: setting(
    whole(1, 86_400),
    "seconds",
    "300",
    "Time without a call after which the pool is no longer refilled. Environments still expire.",
  ),
  CONTROL_PLANE_URL: setting(
    optional(httpUrl),
    "URL",
    "",
    "Where keys are validated (`POST {url}/validate`). Empty: in the `api_keys` table.",
  ),
  EVENT_TARGETS: setting(
    eventTargets,
    "origin or CIDR,…",
    "",
    "Where this server may post events to apps: `https://bot.example.com,10.1.0.0/16`. Empty: in development this machine, otherwise nowhere. `none`: nowhere. Never to link-local addresses, to this server, or to its database.",
  ),
  OTEL_EXPORTER_OTLP_ENDPOINT: setting(
    optional(httpUrl),
    "URL",
    "",
    "OpenTelemetry collector that gets a span for each call of a run (OTLP over HTTP, `POST {url}/v1/traces`). Empty: none.",
  ),
  OTEL_EXPORTER_OTLP_HEADERS: setting(
    headers,
    "name=value,…",
    "",
    "Headers of the requests to the collector, values percent-encoded: `authorization=Bearer%20…`.",
  ),
  OTEL_SERVICE_NAME: setting(
    (value) => value || "diorama",
    "text",
    "diorama",
    "`service.name` of the spans.",
  ),
  RATE_LIMITS: setting(flag, "true, false", "false", "Apply daily, hourly and concurrency limits."),
  LOG_LEVEL: setting(
    oneOf<Level>(...LEVELS),
    LEVELS.join(", "),
    "info",
    "Minimum severity of log lines.",
  ),
  LOG_FORMAT: setting(
    oneOf(...FORMATS),
    FORMATS.join(", "),
    "auto",
    "`json`: JSON lines on standard output. `text`: for people, on standard error. `auto`: text where that is a terminal, otherwise JSON.",
  ),
} as const;

type Name = keyof typeof SETTINGS;
type Value<N extends Name> = ReturnType<(typeof SETTINGS)[N]["parse"]>;

type Values = { readonly [N in Name]: Value<N> };

/** The settings by name, and values derived from them. */
export type Config = Omit<Values, "SHUTDOWN_DELAY" | "EVENT_TARGETS"> & {
  readonly SHUTDOWN_DELAY: number;
  readonly EVENT_TARGETS: ReadonlySet<string>;
  /** Calls without a key act as the development user. */
  readonly development: boolean;
};

/** Every problem of the settings, one per line. */
export class ConfigError extends Error {
  override readonly name = "ConfigError";
  readonly problems: readonly string[];
  constructor(problems: readonly string[]) {
    super(problems.join("\n"));
    this.problems = problems;
  }
}

/** Reads every setting. Throws ConfigError with all problems. */
export function readConfig(env: Environment): Config {
  const problems: string[] = [];
  const read = <N extends Name>(name: N): Value<N> => {
    const { parse, fallback } = SETTINGS[name];
    const value = env[name] ?? fallback;
    try {
      if (value === undefined || (value === "" && fallback === undefined)) {
        problems.push(`${name} is not set; needed: ${SETTINGS[name].format}`);
        return undefined as Value<N>;
      }
      return parse(value, env) as Value<N>;
    } catch (error) {
      if (!(error instanceof Needed)) throw error;
      problems.push(`${name} is "${shown(name, value ?? "")}"; needed: ${error.message}`);
      return undefined as Value<N>;
    }
  };

  const names = Object.keys(SETTINGS) as Name[];
  const values = Object.fromEntries(names.map((name) => [name, read(name)])) as Values;
  const development = values.ENVIRONMENT === "development";
  const controlPlane = values.CONTROL_PLANE_URL;
  if (
    !development &&
    controlPlane?.startsWith("http:") &&
    !isLoopback(new URL(controlPlane).hostname)
  )
    problems.push(`CONTROL_PLANE_URL is "${controlPlane}"; needed: https outside development`);
  if (problems.length > 0) throw new ConfigError(problems);
  return {
    ...values,
    HOST: values.HOST || (development ? "127.0.0.1" : "0.0.0.0"),
    SHUTDOWN_DELAY: values.SHUTDOWN_DELAY ?? (development ? 0 : SHUTDOWN_DELAY),
    EVENT_TARGETS: values.EVENT_TARGETS ?? new Set(development ? LOOPBACK : []),
    development,
  };
}

/** The effective settings, for the log; URLs are reduced to host and path, headers to names. */
export const describe = (config: Config): string[] =>
  (Object.keys(SETTINGS) as Name[]).map((name) => {
    const value = config[name];
    if (value instanceof Set) return `${name}=${[...value].join(",")}`;
    // Their values are credentials.
    if (name === "OTEL_EXPORTER_OTLP_HEADERS")
      return `${name}=${[...config[name].keys()].join(",")}`;
    if (value instanceof Map)
      return `${name}=${[...value].map((pair) => pair.join(":")).join(",")}`;
    if (!isUrl(name) || value === undefined) return `${name}=${value ?? ""}`;
    const { protocol, host, pathname } = new URL(String(value));
    return `${name}=${protocol}//${host}${pathname}`;
  });

/** Warnings about valid settings that may have an unwanted effect. */
export const warningsOf = (env: Environment, config: Config): string[] => [
  ...misspelt(env, Object.keys(SETTINGS)),
  ...(config.CONTROL_PLANE_URL === undefined ? [] : proxied(env, config.CONTROL_PLANE_URL)),
];
