/** The operator's view: probes, metrics, log lines. */
import { afterAll, beforeAll, describe, expect, spyOn, test } from "bun:test";
import { createCapture } from "~/capture/capture";
import { connect } from "~/db/connect";
import { NEWEST_VERSION } from "~/db/migrate";
import { createBuilders } from "~/db/origins";
import { createLog } from "~/log";
import { createMetrics } from "~/metrics";
import { createCapacity } from "~/platform/environments/capacity";
import { createMetricsCollector } from "~/platform/metrics-collector";
import { records } from "~/platform/runs/records";
import { createTemplates } from "~/platform/templates/templates";
import { startProgram } from "~/program/program";
import { randomId } from "~/source";
import { freePort } from "../../scripts/postgres";
import { eventually, useDatabase } from "../support/database";
import { ADDED_ENVIRONMENTS } from "../support/large";
import { configFor, startTestProgram, useProgram } from "../support/program";

const database = useDatabase();
const program = useProgram(database, { ADMIN_PORT: "0" });

type Sample = { name: string; labels: Record<string, string>; value: number };

/** Reads the text format; throws on an invalid line. */
function parse(text: string): Sample[] {
  return text
    .split("\n")
    .filter((line) => line !== "" && !line.startsWith("#"))
    .map((line) => {
      const [, name, labels = "", value] = /^([a-z_]+)(?:\{(.*)\})? (\S+)$/.exec(line) ?? [];
      if (!name || value === undefined) throw new Error(`not a sample: ${line}`);
      const pairs = [...labels.matchAll(/([a-z_]+)="((?:[^"\\]|\\.)*)"/g)];
      return {
        name,
        labels: Object.fromEntries(pairs.map(([, key, text]) => [key, text])),
        value: Number(value),
      };
    });
}

const scrape = async () => parse(await (await fetch(`${program.program.adminUrl}/metrics`)).text());
const read = (samples: Sample[], name: string, labels: Record<string, string> = {}) =>
  samples
    .filter(
      (sample) =>
        sample.name === name &&
        Object.entries(labels).every(([key, value]) => sample.labels[key] === value),
    )
    .reduce((sum, { value }) => sum + value, 0);

describe("probes", () => {
  test("report that a server is alive and ready, with the checks", async () => {
    const live = await fetch(`${program.url}/livez`);
    const ready = await fetch(`${program.url}/readyz`);

    expect([live.status, await live.json()]).toEqual([200, { status: "alive" }]);
    expect([ready.status, await ready.json()]).toEqual([
      200,
      {
        status: "ready",
        checks: {
          database: "ok",
          migrations: "applied",
          capture: "stopped",
          event_loop: "ok",
          draining: false,
        },
      },
    ]);
  });

  test("need no key where all other calls do (S152)", async () => {
    const server = await startTestProgram(database, { ENVIRONMENT: "production" });
    try {
      expect((await fetch(`${server.url}/livez`)).status).toBe(200);
      expect((await fetch(`${server.url}/readyz`)).status).toBe(200);
      const metrics = await fetch(`${server.url}/metrics`);
      expect([metrics.status, await metrics.json()]).toEqual([
        401,
        { ok: false, error: "not_authed", detail: "API key required" },
      ]);
    } finally {
      await server.program.stop();
    }
  });

  test("accept only GET and HEAD, on both ports, and the other port serves nothing else", async () => {
    for (const url of [program.url, program.program.adminUrl]) {
      const answer = await fetch(`${url}/livez`, { method: "POST" });
      expect([answer.status, answer.headers.get("allow")]).toEqual([405, "GET, HEAD"]);
    }
    const other = await fetch(`${program.program.adminUrl}/api/platform/health`);
    expect(other.status).toBe(404);
  });

  test("are not ready while the event loop is blocked", async () => {
    const answering = fetch(`${program.program.adminUrl}/readyz`);
    const until = performance.now() + 1_300;
    while (performance.now() < until);

    const first = await answering;
    expect([first.status, ((await first.json()) as any).checks.event_loop]).toEqual([
      503,
      "blocked",
    ]);
    await eventually(async () =>
      expect((await fetch(`${program.program.adminUrl}/readyz`)).status).toBe(200),
    );
  });

  test("are ready while every connection that calls may use is taken", async () => {
    const blocker = connect(database.url, { max: 1, name: "test", patient: true });
    const release = Promise.withResolvers<void>();
    const held = Promise.withResolvers<void>();
    const holding = blocker.begin(async (tx) => {
      await tx`lock table diorama.schemas`;
      held.resolve();
      await release.promise;
    });
    await held.promise;
    const waiting = Array.from({ length: 20 }, () => program.environment());
    try {
      await eventually(async () => {
        const [row] = await database.sql`
          select count(*)::int as count from pg_stat_activity
          where datname = current_database() and application_name = 'diorama platform'
            and wait_event_type = 'Lock'
        `;
        expect(row?.["count"]).toBeGreaterThan(4);
      }, 4);
      expect((await fetch(`${program.url}/readyz`)).status).toBe(200);
    } finally {
      release.resolve();
      await holding;
      await blocker.end();
    }
    for (const { environmentId } of await Promise.all(waiting))
      await program.call("DELETE", `/env/${environmentId}`);
  });

  test("are not ready when the tables are older than the program", async () => {
    await database.sql`update diorama.schema_migrations set version = -1 where version = ${NEWEST_VERSION}`;
    try {
      const answer = await fetch(`${program.url}/readyz`);
      expect([answer.status, ((await answer.json()) as any).checks.migrations]).toEqual([
        503,
        "missing",
      ]);
    } finally {
      await database.sql`update diorama.schema_migrations set version = ${NEWEST_VERSION} where version = -1`;
    }
  });
});

describe("metrics", () => {
  test("have the names of their fields, one by one, each with help and type", async () => {
    const text = await (await fetch(`${program.program.adminUrl}/metrics`)).text();
    const named = [...text.matchAll(/^# HELP (\S+) (.+)$/gm)];
    const typed = [...text.matchAll(/^# TYPE (\S+) (counter|gauge|histogram)$/gm)];

    expect(named.map(([, name]) => name)).toEqual(typed.map(([, name]) => name));
    for (const [, name, type] of typed) {
      expect([name, /^(diorama|process)_[a-z_]+$/.test(name ?? "")]).toEqual([name, true]);
      expect([name, name?.endsWith("_total")]).toEqual([name, type === "counter"]);
    }
  });

  test("count what happens from one scrape to the next", async () => {
    const before = await scrape();
    const environment = await program.environment();
    const run = await program.post("/startRun", { envId: environment.environmentId });
    await program.chat(environment, "chat.postMessage", { channel: "C01GENERAL", text: "hello" });
    await program.post("/startRun", { envId: environment.environmentId });
    await program.get("/templates/nothing/here");
    await program.get("/results/x", { "X-API-Key": "wrong" });
    const during = await scrape();
    await program.post("/diffRun", { runId: run.body.runId });

    await eventually(async () => {
      const after = await scrape();
      const moved = (name: string, labels?: Record<string, string>) =>
        read(after, name, labels) - read(before, name, labels);
      expect({
        created: moved("diorama_http_requests_total", {
          route: "/api/platform/initEnv",
          method: "POST",
          status: "201",
        }),
        called: moved("diorama_http_request_duration_seconds_count", {
          route: "/api/env/:envId/services/chat",
        }),
        unknown: moved("diorama_http_requests_total", { route: "other", status: "404" }),
        refused: moved("diorama_errors_total", { code: "run_already_exists" }),
        strangers: moved("diorama_auth_failures_total", { reason: "invalid" }),
        marks: moved("diorama_capture_marker_seconds_count"),
        changes: moved("diorama_run_changes_sum"),
        read: moved("diorama_capture_messages_total", { action: "mark" }),
        ends: moved("diorama_run_end_seconds_count", { kind: "diff" }),
        environments: moved("diorama_env_create_seconds_count"),
      }).toEqual({
        created: 1,
        called: 1,
        unknown: 1,
        refused: 1,
        strangers: 1,
        marks: 1,
        changes: 1,
        read: 4, // of the run's beginning, end and result, and of the call
        ends: 1,
        environments: 1,
      });
    });
    expect(read(during, "diorama_runs", { state: "running" })).toBe(1);
    const live = { service: "chat", state: "live" };
    expect(read(during, "diorama_envs", live)).toBe(ADDED_ENVIRONMENTS + 1);
    expect(read(during, "diorama_capture_leader")).toBe(1);
    expect(read(during, "diorama_capture_state", { state: "streaming" })).toBe(1);
    expect(read(during, "diorama_capture_slot_wal_status", { status: "reserved" })).toBe(1);
    expect(read(during, "diorama_capture_hold_seconds")).toBeGreaterThan(0);
    expect(read(during, "diorama_db_pool_connections")).toBeGreaterThan(5);
    expect(read(during, "diorama_pool_target", { template: "chat_default" })).toBe(1);
    expect(read(during, "process_resident_memory_bytes")).toBeGreaterThan(10_000_000);
    await program.call("DELETE", `/env/${environment.environmentId}`);
  });

  test("name no environment, run, user or key (S152)", async () => {
    const environment = await program.environment({}, { "Idempotency-Key": crypto.randomUUID() });
    await program.post("/startRun", { envId: environment.environmentId });
    await fetch(`${program.url}/api/env/${environment.environmentId}/services/nonsense/x`);
    await fetch(`${program.url}/api/env/nonsense/services/chat/x`, { method: "BREW" });
    const text = await (await fetch(`${program.program.adminUrl}/metrics`)).text();

    expect(text).not.toMatch(/[0-9a-f]{32}|nonsense|BREW|U01AGENTONE|development/);
    await program.call("DELETE", `/env/${environment.environmentId}`);
  });

  test("are served without the database, except those read from it", async () => {
    const pool = connect("postgres://nobody@127.0.0.1:1/nothing", { max: 1, name: "test" });
    const config = configFor(database);
    const metrics = createMetrics();
    const log = createLog({ level: "error" });
    const options = { url: "", plugin: "pgoutput", walBudgetBytes: 1, idleSeconds: 1 } as const;
    const capture = await createCapture({
      kind: "snapshot",
      options,
      records,
      worker: "",
      logOptions: { level: "error" },
      pool,
      log,
      metrics,
    });
    const templates = createTemplates({
      pool,
      replicas: pool,
      builders: createBuilders(pool, false),
      newId: randomId,
    });
    const metricsCollector = createMetricsCollector({
      config,
      pool,
      probe: pool,
      templates,
      targets: async () => new Map(),
      capture,
      capacity: createCapacity({ config, pool }),
      metrics,
    });

    const samples = parse(await metricsCollector.scrape());
    metricsCollector.stop();
    await pool.end({ timeout: 0 });

    expect(read(samples, "process_resident_memory_bytes")).toBeGreaterThan(0);
    expect(samples.filter(({ name }) => name === "diorama_envs")).toEqual([]);
  });
});

describe("log lines", () => {
  let lines: Record<string, any>[] = [];
  let server: Awaited<ReturnType<typeof startProgram>>;
  let spied: ReturnType<typeof spyOn>;
  beforeAll(async () => {
    spied = spyOn(console, "log").mockImplementation((line: string) => {
      lines.push(JSON.parse(line));
    });
    const port = await freePort();
    server = await startProgram(
      configFor(database, {
        LOG_LEVEL: "debug",
        PORT: String(port),
        LOGICAL_REPLICATION_ENABLED: "false",
      }),
    );
  });
  afterAll(async () => {
    await server.stop();
    spied.mockRestore();
  });

  const post = async (path: string, body: object) => {
    const response = await fetch(`${server.url}${path}`, {
      method: "POST",
      headers: { "Content-Type": "application/json", "X-Request-Id": "look-for-me" },
      body: JSON.stringify(body),
    });
    return (await response.json()) as any;
  };
  const request = (path: string) =>
    lines.filter(({ msg, route }) => msg === "request" && route === path);

  test("list the settings at the start, without secrets", () => {
    const [started] = lines.filter(({ msg }) => msg === "started");
    const { host, pathname, password } = new URL(database.url);

    expect(started?.["settings"]).toContain(`DATABASE_URL=postgres://${host}${pathname}`);
    expect(started?.["settings"]).toContain("ENVIRONMENT_POOL_TARGETS=chat_default:1");
    expect(JSON.stringify(lines)).not.toContain(password);
  });

  test("describe each call's user, route, duration and outcome, and no value", async () => {
    const environment = await post("/api/platform/initEnv", {
      templateService: "chat",
      templateName: "chat_default",
      impersonateUserId: "U01AGENTONE",
    });
    const run = await post("/api/platform/startRun", { envId: environment.environmentId });
    await post(`${environment.environmentUrl}/chat.postMessage`, {
      channel: "C01GENERAL",
      text: "nobody's business",
    });
    await post("/api/platform/diffRun", { runId: run.runId });
    await post("/api/platform/diffRun", { runId: run.runId });

    const about = { request_id: "look-for-me", user_id: "development", key_id: "development" };
    expect(request("/api/platform/startRun")).toMatchObject([
      { level: "info", ...about, method: "POST", status: 201, env_id: environment.environmentId },
    ]);
    expect(request("/api/platform/diffRun")).toMatchObject([
      { ...about, status: 200, run_id: run.runId, duration_ms: expect.any(Number) },
      { ...about, status: 400, run_id: run.runId, code: "run_already_completed" },
    ]);
    expect(request("/api/env/:envId/services/chat")).toMatchObject([
      { level: "debug", env_id: environment.environmentId, status: 200 },
    ]);
    const text = JSON.stringify(lines);
    expect(text).not.toContain("nobody's business");
    expect(text).not.toContain(environment.token);
    lines = [];
  });
});
