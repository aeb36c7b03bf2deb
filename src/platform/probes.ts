/**
 * Endpoints for operators: liveness (`/livez`), readiness (`/readyz`), and metrics (`/metrics`).
 *
 * The probes are public; on the public port, metrics need a key. ADMIN_PORT serves all three without a key, and stays
 * open until the end of a shutdown, when the public port no longer accepts connections.
 */

import { BEHIND_BYTES } from "~/capture/slot";
import type { StreamState } from "~/capture/stream-events";
import { NEWEST_VERSION } from "~/db/migrate";
import { requireReading } from "~/http/errors";
import type { MetricsCollector } from "~/platform/metrics-collector";
import { type HttpAnswer, httpAnswer, jsonAnswer, type RequestHead } from "~/wire/message";

export type Probes = ReturnType<typeof createProbes>;

const METRICS_PATH = "/metrics";
const PATHS = ["/livez", "/readyz", METRICS_PATH] as const;
type Path = (typeof PATHS)[number];

const DATABASE_MS = 2_000;
const DEAD_LAG_MS = 5_000;
const UNREADY_LAG_MS = 1_000;
const METRICS_TYPE = "text/plain; version=0.0.4; charset=utf-8";

/** Describes the state for a client that is about to send a call. */
const CAPTURE = {
  idle: "stopped",
  starting: "starting",
  busy: "starting",
  streaming: "active",
  following: "waiting",
  failing: "lost",
  disabled: "disabled",
} as const satisfies Record<StreamState | "disabled", string>;

/** The slot is being read. A backlog delays results; runs start and calls are answered as usual. */
const READING: ReadonlySet<string> = new Set(["active", "waiting"]);

export const probePath = (pathname: string): pathname is Path =>
  PATHS.some((path) => path === pathname);

const CAPACITY = "capacity";
const asksCapacity = ({ url }: { readonly url: URL }) => url.searchParams.has(CAPACITY);

/** Whether a probe shows numbers, which need a key where callers are not operators. */
export const showsNumbers = (request: { readonly pathname: string; readonly url: URL }): boolean =>
  request.pathname === METRICS_PATH || (request.pathname === "/readyz" && asksCapacity(request));

/** `cell`: of this server, shown with its readiness. */
export function createProbes(metricsCollector: MetricsCollector, cell?: string) {
  let draining = false;

  async function database() {
    const found = await Promise.race([
      metricsCollector.readiness().catch(() => undefined),
      Bun.sleep(DATABASE_MS),
    ]);
    if (!found) return { database: "unreachable", migrations: "unknown", unread: 0 } as const;
    const migrations = found.version < NEWEST_VERSION ? "missing" : "applied";
    return { database: "ok", migrations, unread: found.unread } as const;
  }

  async function check() {
    const { unread, ...found } = await database();
    const state = CAPTURE[metricsCollector.captureState()];
    const behind = READING.has(state) && unread > BEHIND_BYTES;
    const capture = behind ? "catching_up" : state;
    const blocked = metricsCollector.loopLagMs() > UNREADY_LAG_MS;
    const checks = {
      ...found,
      capture,
      ...(behind && { capture_unread_bytes: unread }),
      event_loop: blocked ? "blocked" : "ok",
      draining,
    };
    const fit =
      checks.migrations === "applied" && capture !== "lost" && !blocked && !checks.draining;
    const status = fit ? ("ready" as const) : ("unready" as const);
    return { status, ...(cell !== undefined && { cell }), checks };
  }

  async function ready(): Promise<HttpAnswer> {
    const found = await check();
    return jsonAnswer(found, found.status === "ready" ? 200 : 503);
  }

  /** For balancers, of calls that create environments: 503 without room for one. */
  async function readyForMore(): Promise<HttpAnswer> {
    const [found, capacity] = await Promise.all([
      check(),
      metricsCollector.capacity().catch(() => null),
    ]);
    const fit = found.status === "ready" && capacity !== null && capacity.free > 0;
    return jsonAnswer({ ...found, capacity }, fit ? 200 : 503);
  }

  function live(): HttpAnswer {
    const alive = metricsCollector.loopLagMs() < DEAD_LAG_MS;
    return jsonAnswer({ status: alive ? "alive" : "blocked" }, alive ? 200 : 503);
  }

  return {
    async answer(request: RequestHead & { readonly url: URL }, path: Path): Promise<HttpAnswer> {
      requireReading(request);
      if (path === "/livez") return live();
      if (path === "/readyz") return asksCapacity(request) ? await readyForMore() : await ready();
      const text = await metricsCollector.scrape();
      return httpAnswer(200, { "Content-Type": METRICS_TYPE }, text);
    },

    /** Checks whether this server can serve. */
    check,

    /** Marks this server as not ready: calls should go to other servers. */
    drain() {
      draining = true;
    },
    draining: () => draining,
  };
}
