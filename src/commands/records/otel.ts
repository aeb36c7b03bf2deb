/**
 * A run as spans of OpenTelemetry, in OTLP's JSON: one of the agent with the verdict, below it one for each call, with the
 * names of the conventions for generative AI. Row changes are events of the spans.
 */
import { SpanKind, SpanStatusCode } from "@opentelemetry/api";
import { JsonTraceSerializer } from "@opentelemetry/otlp-transformer";
import { resourceFromAttributes } from "@opentelemetry/resources";
import type { RunEvent } from "~/clients/typescript/schema";
import type { RecordedCall, RunRecord } from "~/commands/records/record";
import { timeOf } from "~/platform/journal/spans";
import { VERSION } from "~/version";

type Span = Parameters<typeof JsonTraceSerializer.serializeRequest>[0][number];
type Context = ReturnType<Span["spanContext"]>;

/** Of names that are not in the conventions. */
const OWN = "diorama";
const SAMPLED = 1;
const SPAN_ID = 16;

export function otel(record: RunRecord): string {
  const root = contextOf(record.about.runId, "run");
  const spans = [rootSpan(record, root), ...record.calls.map((call) => callSpan(call, root))];
  const bytes = JsonTraceSerializer.serializeRequest(spans);
  return `${new TextDecoder().decode(bytes)}\n`;
}

/** Ids are the same in each export: a run has the form of a trace's id, and a span's is a hash. */
function contextOf(traceId: string, ...parts: readonly string[]): Context {
  const hash = new Bun.CryptoHasher("sha256").update([traceId, ...parts].join(" "));
  return { traceId, spanId: hash.digest("hex").slice(0, SPAN_ID), traceFlags: SAMPLED };
}

function rootSpan(record: RunRecord, context: Context): Span {
  const { about, verdict, agent, model, startedAt, endedAt, others } = record;
  const { status, reward, success, unsafe, reasons } = verdict;
  return span(context, {
    name: agent === undefined ? "invoke_agent" : `invoke_agent ${agent}`,
    startedAt,
    endedAt,
    attributes: {
      "gen_ai.operation.name": "invoke_agent",
      "gen_ai.conversation.id": about.runId,
      "gen_ai.agent.name": agent,
      "gen_ai.request.model": model,
      ...own({
        "run.id": about.runId,
        "run.url": about.consoleUrl,
        "run.complete": about.complete,
        "environment.id": about.environmentId,
        template: about.templateName,
        test: about.testName,
        suite: about.testSuiteName,
      }),
    },
    events: [
      ...others.map((change) => eventOf(change, endedAt)),
      {
        name: "gen_ai.evaluation.result",
        time: timeOf(endedAt),
        attributes: known({
          "gen_ai.evaluation.name": "diorama",
          "gen_ai.evaluation.score.value": reward,
          "gen_ai.evaluation.score.label": status,
          "gen_ai.evaluation.explanation": reasons,
          ...own({ success, unsafe }),
        }),
      },
    ],
  });
}

/** In the trace of its caller with a link to the run, if the caller has one. */
function callSpan(call: RecordedCall, root: Context): Span {
  const { id, name, error, status, ms, trace, answer } = call;
  const startedAt = Date.parse(call.at);
  const endedAt = startedAt + (ms ?? 0);
  const [, traceId = root.traceId, parentId] = trace?.split("-") ?? [];
  const parent =
    parentId === undefined
      ? root
      : { traceId, spanId: parentId, traceFlags: SAMPLED, isRemote: true };
  const made = span(contextOf(traceId, root.traceId, id), {
    name: `execute_tool ${name}`,
    startedAt,
    endedAt,
    parent,
    attributes: {
      "gen_ai.operation.name": "execute_tool",
      "gen_ai.tool.name": name,
      "gen_ai.tool.call.id": id,
      "gen_ai.tool.type": "function",
      "gen_ai.tool.call.arguments": JSON.stringify(call.arguments),
      "gen_ai.tool.call.result": answer === undefined ? undefined : JSON.stringify(answer),
      "error.type": error,
      "http.response.status_code": status,
      ...own({
        service: call.service,
        via: call.via,
        "request.id": call.request,
        fault: call.fault,
      }),
    },
    events: call.rows.map((change) => eventOf(change, endedAt)),
  });
  return {
    ...made,
    ...(error !== null && { status: { code: SpanStatusCode.ERROR, message: error } }),
    ...(parent !== root && { links: [{ context: root, attributes: {} }] }),
  };
}

function span(
  context: Context,
  {
    name,
    startedAt,
    endedAt,
    parent,
    attributes,
    events,
  }: Pick<Span, "name" | "events"> & {
    readonly startedAt: number;
    readonly endedAt: number;
    readonly parent?: Context;
    readonly attributes: Attributes;
  },
): Span {
  return {
    name,
    kind: SpanKind.INTERNAL,
    spanContext: () => context,
    ...(parent && { parentSpanContext: parent }),
    startTime: timeOf(startedAt),
    endTime: timeOf(endedAt),
    duration: timeOf(endedAt - startedAt),
    ended: true,
    status: { code: SpanStatusCode.UNSET },
    attributes: known(attributes),
    links: [],
    events,
    resource: RESOURCE,
    instrumentationScope: { name: "diorama", version: VERSION },
    droppedAttributesCount: 0,
    droppedEventsCount: 0,
    droppedLinksCount: 0,
  };
}

const RESOURCE = resourceFromAttributes({ "service.name": "diorama", "service.version": VERSION });

const eventOf = (
  { operation, table, key, before, after }: RunEvent,
  ms: number,
): Span["events"][number] => ({
  name: `${OWN}.change`,
  time: timeOf(ms),
  attributes: known(
    own({
      "change.operation": operation,
      "change.table": table,
      "change.key": JSON.stringify(key),
      "change.before": before && JSON.stringify(before),
      "change.after": after && JSON.stringify(after),
    }),
  ),
});

type Attributes = { readonly [name: string]: string | number | boolean | null | undefined };

const own = (attributes: Attributes): Attributes =>
  Object.fromEntries(Object.entries(attributes).map(([name, value]) => [`${OWN}.${name}`, value]));

/** Attributes have no null. */
const known = (attributes: Attributes) =>
  Object.fromEntries(
    Object.entries(attributes).flatMap(([name, value]) => (value == null ? [] : [[name, value]])),
  );
