/**
 * Exports the calls of runs as spans of OpenTelemetry, over OTLP/HTTP. Loaded only if a collector is set.
 *
 * A span is a child of the caller's `traceparent`. Without one, its trace is the run. A caller that does not sample its
 * trace gets no spans, as it has none of its own either.
 */
import { SpanKind, SpanStatusCode } from "@opentelemetry/api";
import { OTLPTraceExporter } from "@opentelemetry/exporter-trace-otlp-http";
import { resourceFromAttributes } from "@opentelemetry/resources";
import { INSTANCE, type Log } from "~/log";
import type { CallOfRun } from "~/platform/journal/appending";
import { randomId } from "~/source";
import { VERSION } from "~/version";

type Span = Parameters<OTLPTraceExporter["export"]>[0][number];

/** Spans in memory. Above it, they are dropped. */
const QUEUE_MAX = 10_000;
const BATCH_MAX = 500;
/** Of a batch, with the exporter's own retries. */
const EXPORT_MS = 10_000;
const STOP_MS = 2_000;
/** Losses are logged once in this time. */
const REPORT_MS = 60_000;
const SAMPLED = 1;

export function createSpans({
  endpoint,
  headers,
  serviceName,
  log,
}: {
  endpoint: string;
  headers: ReadonlyMap<string, string>;
  serviceName: string;
  log: Log;
}) {
  const exporter = new OTLPTraceExporter({
    url: `${endpoint}/v1/traces`,
    headers: Object.fromEntries(headers),
    timeoutMillis: EXPORT_MS,
  });
  const resource = resourceFromAttributes({
    "service.name": serviceName,
    "service.version": VERSION,
    "service.instance.id": INSTANCE,
  });
  let waiting: Span[] = [];
  let sending = 0;
  let exporting: Promise<void> | undefined;
  let isStopped = false;
  let lost = 0;
  let reason = "";
  let reported = -Infinity;

  async function exportWaiting(): Promise<void> {
    while (waiting.length > 0) {
      const batch = waiting.slice(0, BATCH_MAX);
      waiting = waiting.slice(BATCH_MAX);
      sending = batch.length;
      const failure = await send(batch).catch(reasonOf);
      sending = 0;
      if (failure !== undefined && !isStopped) lose(batch.length, failure);
    }
    exporting = undefined;
  }

  /** Returns why it failed; undefined if it did not. */
  const send = (batch: Span[]) =>
    new Promise<string | undefined>((resolve) => {
      exporter.export(batch, ({ error }) => resolve(error && reasonOf(error)));
    });

  function lose(count: number, why: string): void {
    lost += count;
    reason = why;
    if (performance.now() - reported >= REPORT_MS) report();
  }

  function report(): void {
    if (lost > 0) log.warn("spans not exported", { count: lost, reason });
    reported = performance.now();
    lost = 0;
  }

  return {
    add(calls: readonly CallOfRun[]): void {
      const spans = calls.flatMap((call) => spanOf(call, resource) ?? []);
      const room = QUEUE_MAX - waiting.length;
      waiting.push(...spans.slice(0, room));
      if (spans.length > room) lose(spans.length - room, "queue full");
      exporting ??= exportWaiting();
    },

    /** Exports what is waiting, as far as it gets in two seconds. */
    async stop(): Promise<void> {
      await Promise.race([exporting, Bun.sleep(STOP_MS)]);
      isStopped = true;
      if (waiting.length + sending > 0) lose(waiting.length + sending, "stopped");
      waiting = [];
      report();
    },
  };
}

/** A status or the code of a system's error, whose text may be the collector's; else the exporter's own text. */
function reasonOf(error: Error): string {
  const { code } = error as { code?: unknown };
  return typeof code === "number" || typeof code === "string" ? String(code) : error.message;
}

/** Undefined for a call whose trace is not sampled. */
function spanOf(
  { runId, environmentId, line }: CallOfRun,
  resource: Span["resource"],
): Span | undefined {
  const { service, via, name, status, error, fault, request } = line;
  const [, traceId = runId, parentId, flags = "01"] = line.trace?.split("-") ?? [];
  const traceFlags = Number.parseInt(flags, 16) & SAMPLED;
  if (traceFlags !== SAMPLED) return undefined;
  const ms = line.ms ?? 0;
  const context = { traceId, spanId: randomId().slice(0, 16) };
  return {
    name,
    kind: SpanKind.SERVER,
    spanContext: () => ({ ...context, traceFlags }),
    ...(parentId !== undefined && {
      parentSpanContext: { traceId, spanId: parentId, traceFlags, isRemote: true },
    }),
    startTime: timeOf(line.at),
    endTime: timeOf(line.at + ms),
    duration: timeOf(ms),
    ended: true,
    status:
      error === null
        ? { code: SpanStatusCode.UNSET }
        : { code: SpanStatusCode.ERROR, message: error },
    attributes: {
      "diorama.run.id": runId,
      "diorama.environment.id": environmentId,
      "diorama.service": service,
      "diorama.via": via,
      "diorama.request.id": request,
      ...(status !== null && { "http.response.status_code": status }),
      ...(error !== null && { "diorama.error": error }),
      ...(fault !== undefined && { "diorama.fault": fault }),
    },
    links: [],
    events: [],
    resource,
    instrumentationScope: { name: "diorama", version: VERSION },
    droppedAttributesCount: 0,
    droppedEventsCount: 0,
    droppedLinksCount: 0,
  };
}

/** Seconds and nanoseconds. */
export function timeOf(ms: number): [number, number] {
  const micros = Math.round(ms * 1_000);
  return [Math.floor(micros / 1_000_000), (micros % 1_000_000) * 1_000];
}
