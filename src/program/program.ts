/**
 * The whole program as a value: connects, wires, starts, stops. `serve` runs it, tests start the same one on port 0.
 */

import type { Plugin } from "~/capture/slot";
import { type Config, describe } from "~/config";
import type { Pool } from "~/db/connect";
import { migrate } from "~/db/migrate";
import { ApiError } from "~/errors";
import { errorAnswer } from "~/http/errors";
import { listening, requireFreePorts } from "~/http/ports";
import { createRequestLog } from "~/http/request-log";
import { chooseFormat, createLog, type Log } from "~/log";
import { createMetrics } from "~/metrics";
import { openConnections } from "~/platform/connections";
import { reconcileMissingSchemas } from "~/platform/environments/ending-store";
import { createPlatform } from "~/platform/platform";
import { type Probes, probePath } from "~/platform/probes";
import { runClosing } from "~/platform/runs/lifecycle-store";
import { createApp } from "~/program/app";
import { checkDatabase, requireKnownTargets } from "~/program/doctor";
import { VERSION } from "~/version";
import { LIMITS } from "~/wire/limits";
import type { HttpAnswer, HttpRequest } from "~/wire/message";
import { serve } from "~/wire/server";

export type Program = Awaited<ReturnType<typeof startProgram>>;

const DRAIN_MS = 25_000;
const DRAIN_POLL_MS = 20;
/** The OpenAPI document takes 0.1 s, which the first healthy answer does not wait for. */
const DOCUMENT_AFTER_MS = 200;

/** Starts serving. Throws ConfigError for a used port, and PreflightError when the database misses a requirement. */
export async function startProgram(config: Config, limits = LIMITS) {
  requireFreePorts(config);
  const logOptions = { level: config.LOG_LEVEL, format: chooseFormat(config.LOG_FORMAT) };
  const log = createLog(logOptions);
  const metrics = createMetrics();
  const requestLog = createRequestLog(log, metrics);
  const { inFlight } = requestLog;
  const connections = openConnections(config);
  // Those that the system chooses are known once they are open.
  const ports = [config.PORT, config.ADMIN_PORT ?? 0].filter((port) => port > 0);
  const ownPorts = () => ports;
  const base = { config, connections, log, logOptions, metrics, inFlight, ownPorts };

  /** Stops the started parts, in this order; the connections close after them. */
  const parts: (() => unknown)[] = [];
  const close = async () => {
    for (const stop of parts) await stop();
    await connections.close();
  };

  try {
    const plugin = await prepareDatabase(connections.pool, config, log);
    const platform = await createPlatform({ ...base, plugin });
    parts.push(platform.stop);
    const { probes, maintenance, keys } = platform;
    const app = createApp({ platform, requestLog, log, config });
    const server = await listening("PORT", config, () =>
      serve(
        { hostname: config.HOST, port: config.PORT, limits },
        {
          fetch(request) {
            maintenance.touch();
            return app.fetch(request);
          },
          refuse: app.refuse,
          onRejected: () => metrics.connectionsRejected.inc(),
        },
      ),
    );
    parts.push(server.cut);
    ports.unshift(server.port);
    const { ADMIN_PORT } = config;
    const admin =
      ADMIN_PORT === undefined
        ? undefined
        : await listening("ADMIN_PORT", config, () =>
            serve(
              { hostname: config.HOST, port: ADMIN_PORT, limits },
              { fetch: (request) => answerProbe(probes, request, log), refuse: app.refuse },
            ),
          );
    if (admin) ports.push(admin.port);
    maintenance.start();
    setTimeout(app.document, DOCUMENT_AFTER_MS).unref();
    const addressOf = (port: number | undefined) =>
      `http://${config.HOST === "0.0.0.0" ? "127.0.0.1" : config.HOST}:${port}`;
    const url = addressOf(server.port);
    log.info("started", {
      url,
      settings: describe(config),
      environment: config.ENVIRONMENT,
      capture: platform.captureKind,
      version: VERSION,
    });

    return {
      url,
      adminUrl: admin && addressOf(admin.port),
      developerKey: keys.developerKey,
      app,
      maintenance,
      /** Makes load balancers send calls elsewhere. Until `stop`, calls are still answered. */
      drain: probes.drain,
      /** Finishes calls in progress, hands over to other servers, and closes every connection. */
      async stop() {
        probes.drain();
        const closed = server.stop();
        platform.endDelays();
        const deadline = performance.now() + DRAIN_MS;
        while (inFlight() > 0 && performance.now() < deadline) await Bun.sleep(DRAIN_POLL_MS);
        await close();
        await closed;
        await admin?.cut();
        log.info("stopped");
      },
    };
  } catch (error) {
    await close();
    throw error;
  }
}

/** Checks the database, and brings its tables up to date. Returns the plugin that decodes its log. */
async function prepareDatabase(pool: Pool, config: Config, log: Log): Promise<Plugin> {
  const { plugin, warnings } = await checkDatabase(pool, config);
  for (const warning of warnings) log.warn(warning);
  const applied = await migrate(pool);
  if (applied.length > 0) log.info("migrations applied", { versions: applied.join(", ") });
  const missing = await reconcileMissingSchemas(pool, runClosing);
  if (missing > 0) log.warn("ended environments whose schemas are missing", { count: missing });
  await requireKnownTargets(pool, config);
  return plugin;
}

async function answerProbe(probes: Probes, request: HttpRequest, log: Log): Promise<HttpAnswer> {
  try {
    const { pathname } = request;
    if (!probePath(pathname)) throw new ApiError("not_found", "There is no such path");
    return await probes.answer(request, pathname);
  } catch (error) {
    return errorAnswer(error, log, crypto.randomUUID()).answer;
  }
}
