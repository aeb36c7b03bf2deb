/** Calls of runs as spans, as a collector of OpenTelemetry receives them. */
import { afterAll, describe, expect, test } from "bun:test";
import { createLog } from "~/log";
import { createSpans } from "~/platform/journal/spans";
import { useDatabase } from "../../support/database";
import { callTool, connectClient, endpointOf, send } from "../../support/mcp";
import {
  expectStatus,
  startTestProgram,
  type TestProgram,
  useProgram,
} from "../../support/program";
import { openTracker } from "../../support/tracker";

type Span = {
  name: string;
  traceId: string;
  spanId: string;
  parentSpanId?: string;
  kind: number;
  startTimeUnixNano: string;
  endTimeUnixNano: string;
  status: { code: number; message?: string };
  attributes: { key: string; value: Record<string, unknown> }[];
};

function startCollector(answer: () => Response | Promise<Response> = () => Response.json({})) {
  const spans: Span[] = [];
  const requests: { path: string; headers: Headers; body: any }[] = [];
  const server = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    idleTimeout: 60,
    async fetch(request) {
      const body: any = await request.json();
      requests.push({ path: new URL(request.url).pathname, headers: request.headers, body });
      for (const { scopeSpans } of body.resourceSpans)
        for (const scope of scopeSpans) spans.push(...scope.spans);
      return await answer();
    },
  });
  afterAll(() => server.stop(true));
  return { url: `http://127.0.0.1:${server.port}`, spans, requests };
}
const never = () => new Promise<Response>(() => undefined);

const attributesOf = ({ attributes }: Span) =>
  Object.fromEntries(attributes.map(({ key, value }) => [key, Object.values(value)[0]]));

async function spansOf(spans: readonly Span[], runId: string, count: number): Promise<Span[]> {
  const ofRun = () => spans.filter((span) => attributesOf(span)["diorama.run.id"] === runId);
  for (let n = 0; n < 200 && ofRun().length < count; n++) await Bun.sleep(20);
  expect(ofRun()).toHaveLength(count);
  return ofRun();
}

const PARENT = "00f067aa0ba902b7";
const traceOf = (n: number) => n.toString(16).padStart(32, "a");
const traceparent = (n: number, flags = "01") => `00-${traceOf(n)}-${PARENT}-${flags}`;

const startRun = async (program: TestProgram, envId: string) => {
  const started = await program.post("/startRun", { envId });
  expectStatus(started, 201);
  return started.body.runId as string;
};
const post = async (url: string, body: object, trace?: string, headers = {}) => {
  const response = await fetch(url, {
    method: "POST",
    headers: {
      "Content-Type": "application/json; charset=utf-8",
      ...(trace && { traceparent: trace }),
      ...headers,
    },
    body: JSON.stringify(body),
  });
  expect(response.status).toBe(200);
  return await response.json();
};

describe("with a collector", () => {
  const collector = startCollector();
  const database = useDatabase();
  const program = useProgram(database, {
    OTEL_EXPORTER_OTLP_ENDPOINT: `${collector.url}/otlp/`,
    OTEL_EXPORTER_OTLP_HEADERS: "authorization=Bearer%20of-the-collector,x-tenant=a",
    OTEL_SERVICE_NAME: "replicas",
  });

  test("each call of a run is a span under the caller's traceparent, and one without is in the run's trace", async () => {
    const environment = await program.environment();
    const methods = `${program.url}${environment.environmentUrl}`;
    await program.chat(environment, "auth.test");
    const runId = await startRun(program, environment.environmentId);
    const message = { channel: "C01GENERAL", text: "hello" };
    await post(`${methods}/chat.postMessage`, message, traceparent(1));
    await post(`${methods}/chat.postMessage`, { ...message, channel: "C0NONE" }, traceparent(2));
    await post(`${methods}/users.list`, {});
    await post(`${methods}/users.list`, {}, traceparent(3, "00"));
    await post(`${methods}/emoji.list`, {}, `00-${"0".repeat(32)}-${PARENT}-01`);
    const spans = await spansOf(collector.spans, runId, 4);
    await program.post("/diffRun", { runId });
    const { calls } = (await program.get(`/runs/${runId}/calls`)).body;

    expect(spans.map(({ name, traceId, parentSpanId }) => [name, traceId, parentSpanId])).toEqual([
      ["chat.postMessage", traceOf(1), PARENT],
      ["chat.postMessage", traceOf(2), PARENT],
      ["users.list", runId, undefined],
      ["emoji.list", runId, undefined],
    ]);
    expect(new Set(spans.map(({ spanId }) => spanId)).size).toBe(4);
    for (const { spanId, kind } of spans) {
      expect(spanId).toMatch(/^[0-9a-f]{16}$/);
      expect(kind).toBe(2); // SERVER
    }
    expect(spans.map(({ status }) => status)).toEqual([
      { code: 0 },
      { code: 2, message: "channel_not_found" },
      { code: 0 },
      { code: 0 },
    ]);
    const listed = calls.filter(({ trace }: any) => trace !== traceparent(3, "00"));
    expect(spans.map(attributesOf)).toEqual(
      listed.map(({ status, request, error }: any) => ({
        "diorama.run.id": runId,
        "diorama.environment.id": environment.environmentId,
        "diorama.service": "chat",
        "diorama.via": "rest",
        "diorama.request.id": request,
        "http.response.status_code": status,
        ...(error && { "diorama.error": error }),
      })),
    );
    for (const [index, span] of spans.entries()) {
      const { at, ms } = listed[index];
      const began = Number(BigInt(span.startTimeUnixNano) / 1000n) / 1000;
      const ended = Number(BigInt(span.endTimeUnixNano) / 1000n) / 1000;
      expect(Math.abs(began - Date.parse(at))).toBeLessThanOrEqual(1);
      expect(ended - began).toBeCloseTo(ms, 2);
    }
    const [{ path, headers, body }] = collector.requests as [(typeof collector.requests)[0]];
    expect(path).toBe("/otlp/v1/traces");
    expect(headers.get("authorization")).toBe("Bearer of-the-collector");
    expect(headers.get("x-tenant")).toBe("a");
    expect(body.resourceSpans[0].resource.attributes).toContainEqual({
      key: "service.name",
      value: { stringValue: "replicas" },
    });
  });

  test("operations of GraphQL are spans of their fields' names", async () => {
    const tracker = await openTracker(program);
    const runId = await startRun(program, tracker.environmentId);
    const { data } = (await post(
      tracker.url,
      { query: "{ viewer { id } }" },
      traceparent(4),
    )) as any;
    const [span] = (await spansOf(collector.spans, runId, 1)) as [Span];

    expect(data.viewer.id).toBeString();
    expect(span).toMatchObject({ name: "viewer", traceId: traceOf(4), parentSpanId: PARENT });
    expect(attributesOf(span)).toMatchObject({
      "diorama.service": "tracker",
      "diorama.via": "graphql",
    });
  });

  test("tools get their parent from the request's _meta, unless a header has one", async () => {
    const environment = await program.environment();
    const endpoint = endpointOf(program, environment);
    const runId = await startRun(program, environment.environmentId);
    const client = await connectClient(endpoint, "modern");
    const { tools } = await client.listTools();
    const [name] = tools.flatMap(({ name, inputSchema }) =>
      inputSchema.required?.length ? [] : [name],
    ) as [string];
    await client.callTool({ name, arguments: {}, _meta: { traceparent: traceparent(5) } });
    await client.close();
    const message = (n: number) => ({
      jsonrpc: "2.0",
      id: n,
      method: "tools/call",
      params: { name, arguments: {}, _meta: { traceparent: traceparent(n) } },
    });
    await send(endpoint, message(6));
    await send(endpoint, message(7), { traceparent: traceparent(8) });
    await callTool(endpoint, name, {});
    const spans = await spansOf(collector.spans, runId, 4);
    await program.post("/diffRun", { runId });
    const { calls } = (await program.get(`/runs/${runId}/calls`)).body;

    expect(spans.map(({ traceId, parentSpanId }) => [traceId, parentSpanId])).toEqual([
      [traceOf(5), PARENT],
      [traceOf(6), PARENT],
      [traceOf(8), PARENT],
      [runId, undefined],
    ]);
    for (const span of spans) {
      expect(span.name).toBe(name);
      expect(attributesOf(span)["diorama.via"]).toBe("mcp");
    }
    expect(calls.map(({ trace }: any) => trace)).toEqual([
      traceparent(5),
      traceparent(6),
      traceparent(8),
      null,
    ]);
  });

  test("a server that stops exports what it has answered", async () => {
    const second = await startTestProgram(database, { OTEL_EXPORTER_OTLP_ENDPOINT: collector.url });
    const environment = await second.environment();
    const runId = await startRun(second, environment.environmentId);
    await second.chat(environment, "users.list");
    await second.program.stop();

    const found = collector.spans.filter((span) => attributesOf(span)["diorama.run.id"] === runId);
    expect(found).toHaveLength(1);
  });
});

describe("without a collector that answers", () => {
  const hanging = startCollector(never);
  const closed = Bun.serve({ port: 0, hostname: "127.0.0.1", fetch: () => new Response() });
  const closedUrl = `http://127.0.0.1:${closed.port}`;
  closed.stop(true);
  const database = useDatabase();

  test.each([
    ["hangs", hanging.url],
    ["is down", closedUrl],
  ])("that %s, calls are answered and journaled, and the server stops soon", async (_, url) => {
    const program = await startTestProgram(database, { OTEL_EXPORTER_OTLP_ENDPOINT: url });
    const environment = await program.environment();
    const runId = await startRun(program, environment.environmentId);
    for (let n = 0; n < 20; n++)
      expect(await program.chat(environment, "users.list")).toMatchObject({ ok: true });
    await program.post("/diffRun", { runId });
    const { calls } = (await program.get(`/runs/${runId}/calls`)).body;
    expect(calls).toHaveLength(20);

    const began = performance.now();
    await program.program.stop();
    expect(performance.now() - began).toBeLessThan(8_000);
  });

  const line = (n: number) => ({
    ...{ id: `${n}`, at: 1_700_000_000_000, ms: 1, service: "chat", via: "rest" as const },
    ...{ name: "users.list", status: 200, error: null, request: `${n}`, trace: null, fault: "f1" },
  });
  const callsOf = (count: number) =>
    Array.from({ length: count }, (_, n) => ({
      runId: "1".repeat(32),
      environmentId: "2".repeat(32),
      line: line(n),
    }));
  const openSpans = (endpoint: string) => {
    const logged: any[] = [];
    const log = createLog({ level: "warn", write: (text) => logged.push(JSON.parse(text)) });
    return {
      spans: createSpans({ endpoint, headers: new Map(), serviceName: "diorama", log }),
      logged,
    };
  };

  test("spans beyond ten thousand are dropped and counted", async () => {
    const { spans, logged } = openSpans(hanging.url);
    spans.add(callsOf(400));
    spans.add(callsOf(9_000));
    spans.add(callsOf(2_000));
    expect(logged).toMatchObject([{ level: "warn", count: 1_000, reason: "queue full" }]);
    await spans.stop();

    expect(logged[1]).toMatchObject({ count: 10_400, reason: "stopped" });
    expect(logged).toHaveLength(2);
  });

  test("a rejected batch is lost, with the status in the log, and the next one is exported", async () => {
    const rejecting = startCollector(() =>
      Response.json({ message: "the collector's own words" }, { status: 400 }),
    );
    const { spans, logged } = openSpans(rejecting.url);
    spans.add(callsOf(3));
    for (let n = 0; n < 200 && logged.length === 0; n++) await Bun.sleep(10);
    spans.add(callsOf(5));
    await spans.stop();

    expect(logged).toMatchObject([
      { msg: "spans not exported", count: 3, reason: "400" },
      { msg: "spans not exported", count: 5, reason: "400" },
    ]);
    expect(JSON.stringify(logged)).not.toContain("own words");
    expect(rejecting.spans).toHaveLength(8);
    for (const span of rejecting.spans) expect(attributesOf(span)["diorama.fault"]).toBe("f1");
  });
});

describe("without the setting", () => {
  const collector = startCollector();
  const database = useDatabase();
  const program = useProgram(database, { OTEL_EXPORTER_OTLP_HEADERS: `x-to=${collector.url}` });

  test("no request is made, and the exporter is not loaded", async () => {
    const environment = await program.environment();
    const runId = await startRun(program, environment.environmentId);
    await program.chat(environment, "users.list");
    await program.post("/diffRun", { runId });
    expect((await program.get(`/runs/${runId}/calls`)).body.calls).toHaveLength(1);
    expect(collector.requests).toEqual([]);

    const script = `
      await import("~/program/program");
      console.log(Object.keys(require.cache).filter((path) => /otlp|journal\\/spans/.test(path)).length);
    `;
    const child = Bun.spawn(["bun", "-e", script], { cwd: `${import.meta.dir}/../../..` });
    expect((await new Response(child.stdout).text()).trim()).toBe("0");
  });
});
