/** `runs export --format`: each record is read by the package of its format. */
import { beforeAll, expect, test } from "bun:test";
import * as conventions from "@opentelemetry/semantic-conventions/incubating";
import { useCommands } from "../support/commands";
import { useDatabase } from "../support/database";
import { harborEnv } from "../support/harbor";
import { inspectEnv } from "../support/inspect";
import { pythonPackages, run } from "../support/packages";
import { expectStatus, useProgram } from "../support/program";

const MINUTES = 5 * 60_000;
const OTLP = ["opentelemetry-proto==1.45.2", "protobuf==7.36.2"];
const TRACE = "4bf92f3577b34da6a3ce929d0e0e4736";
const CALLER = "00f067aa0ba902b7";
const HOSTILE = 'Lunch is late \u001b[31m" \u202e';

const database = useDatabase();
const program = useProgram(database);
const commands = useCommands(program);
let runId = "";
let empty = "";

const startRun = async (envId: string, fields: object = {}) => {
  const answer = await program.post("/startRun", { envId, ...fields });
  expectStatus(answer, 201);
  return answer.body.runId;
};

/** A failed attempt with three calls, of which one fails, and a change by no call. */
beforeAll(async () => {
  const where = { channel_id: "C02RANDOM", text: "Lunch is served" };
  const assertions = [{ diff_type: "added", entity: "messages", where, expected_count: 1 }];
  const suite = await program.post("/testSuites", {
    ...{ name: "Lunch", templateService: "chat", templateName: "chat_default" },
    impersonateUserId: "U01AGENTONE",
    tests: [
      { name: "Serve", prompt: "Say it.", expectedOutput: { closed_world: true, assertions } },
    ],
  });
  expectStatus(suite, 201);
  const { suiteId } = suite.body;
  const testId = (await program.get(`/testSuites/${suiteId}?expand=true`)).body.tests[0].id;
  const environment = (await program.post("/initEnv", { testId })).body;
  const labels = { agent: "waiter", model: "acme/model-1" };
  runId = await startRun(environment.environmentId, {
    ...{ testId, testSuiteId: suiteId, labels, journal: "full" },
  });
  await program.chat(environment, "chat.postMessage", { channel: "C02RANDOM", text: HOSTILE });
  await program.chat(environment, "chat.postMessage", { channel: "nowhere", text: "Hi" });
  const traced = await fetch(`${program.url}${environment.environmentUrl}/chat.postMessage`, {
    method: "POST",
    headers: { "Content-Type": "application/json", traceparent: `00-${TRACE}-${CALLER}-01` },
    body: JSON.stringify({ channel: "C01GENERAL", text: "Hello" }),
  });
  expect(await traced.json()).toMatchObject({ ok: true });
  const users = database.sql`${database.sql(environment.schemaName)}.users`;
  await database.sql`update ${users} set real_name = 'Nobody' where id = 'U01AGENTONE'`;
  expectStatus(await program.post("/evaluateRun", { runId }), 200);

  const idle = await program.environment();
  empty = await startRun(idle.environmentId);
  expectStatus(await program.post("/diffRun", { runId: empty }), 200);
}, MINUTES);

async function exported(format: string, id = runId): Promise<string> {
  const file = commands.path(`${id}.${format}.json`);
  const ended = await commands.run(["runs", "export", id, "--format", format, "--output", file]);
  expect(ended).toEqual({ code: 0, out: "", err: "" });
  return file;
}

/** Runs Python on a file, and returns the JSON of its last line. */
async function read(code: string, file: string, env: Record<string, string | undefined>) {
  const output = await run(["python3", "-c", code, file], { env });
  return JSON.parse(output.split("\n").at(-1) ?? "");
}

const added = (text: string) =>
  expect.objectContaining({
    ...{ operation: "insert", table: "messages" },
    after: expect.objectContaining({ text }),
  });
const renamed = expect.objectContaining({ operation: "update", table: "users", request: null });

test(
  "ATIF: Harbor's class reads the trajectory, whose observations carry the row changes",
  async () => {
    const code = `
import json, sys, typing
typing.override = getattr(typing, "override", lambda method: method)
from harbor.models.trajectories import Trajectory
print(json.dumps(Trajectory.model_validate_json(open(sys.argv[1]).read()).to_json_dict()))`;
    const env = await harborEnv();
    const trajectory = await read(code, await exported("atif"), env);

    expect(trajectory).toMatchObject({
      schema_version: "ATIF-v1.8",
      session_id: runId,
      agent: { name: "waiter", model_name: "acme/model-1" },
      final_metrics: { total_steps: 6, extra: { status: "failed", passed: false, unsafe: 3 } },
      extra: { testName: "Serve", testSuiteName: "Lunch", complete: true },
    });
    expect(trajectory.final_metrics.extra.reasons).toContain("none found\n   nearest: message in");
    expect(trajectory.extra.consoleUrl).toBe(`${program.url}/console/runs/${runId}`);
    const [world, prompt, late, nowhere, hello, others] = trajectory.steps;
    expect([world.source, prompt.source, prompt.message]).toEqual(["system", "user", "Say it."]);
    expect(late.tool_calls[0]).toMatchObject({
      function_name: "chat.postMessage",
      arguments: { channel: "C02RANDOM", text: HOSTILE },
    });
    const [observed] = late.observation.results;
    expect(observed.source_call_id).toBe(late.tool_calls[0].tool_call_id);
    expect(JSON.parse(observed.content)).toMatchObject({ ok: true });
    expect(observed.extra.changes).toContainEqual(added(HOSTILE));
    expect(nowhere.observation.results[0].extra).toMatchObject({
      ...{ error: "channel_not_found", changes: [] },
    });
    expect(hello.observation.results[0].extra.changes).toContainEqual(added("Hello"));
    expect(others.observation.results[0].extra.changes).toEqual([renamed]);

    const nothing = await read(code, await exported("atif", empty), env);
    expect(nothing.steps).toHaveLength(1);
    expect(nothing).toMatchObject({ agent: { name: "unknown" }, extra: { testName: null } });
  },
  MINUTES,
);

test(
  "Inspect: its API reads the log, with the calls, their changes and the score",
  async () => {
    const code = `
import json, sys
from inspect_ai.log import read_eval_log
log = read_eval_log(sys.argv[1])
print(json.dumps(json.loads(log.model_dump_json())))`;
    const env = await inspectEnv(program.url);
    const log = await read(code, await exported("inspect"), env);

    expect(log).toMatchObject({
      status: "success",
      eval: { task: "Lunch", model: "acme/model-1" },
    });
    expect(log.results.scores[0].metrics.accuracy.value).toBe(0);
    const [sample] = log.samples;
    expect(sample).toMatchObject({ id: "Serve", input: "Say it.", error: null });
    expect(sample.scores.diorama).toMatchObject({ value: "I", metadata: { unsafe: 3 } });
    expect(sample.scores.diorama.explanation).toContain("none found");
    expect(sample.messages.map(({ role }: { role: string }) => role)).toEqual([
      "user",
      ...["assistant", "tool", "assistant", "tool", "assistant", "tool"],
    ]);
    const kinds = sample.events.map(({ event }: { event: string }) => event);
    expect(kinds).toEqual([
      ...["span_begin", "tool", "info", "tool", "tool", "info", "info", "span_end", "score"],
    ]);
    const [, tool, info, failed] = sample.events;
    expect(tool).toMatchObject({ function: "chat.postMessage", arguments: { text: HOSTILE } });
    expect(info.data.changes).toContainEqual(added(HOSTILE));
    expect(failed.error).toMatchObject({ message: "channel_not_found" });
    expect(sample.events.at(-3).data.changes).toEqual([renamed]);

    const nothing = await read(code, await exported("inspect", empty), env);
    expect(nothing.results).toMatchObject({ completed_samples: 0, scores: [] });
    expect(nothing.samples[0].scores).toBeNull();
  },
  MINUTES,
);

test(
  "OpenTelemetry: the protocol's own messages hold the spans, whose names are those of the conventions",
  async () => {
    const code = `
import base64, json, sys
from google.protobuf.json_format import Parse, MessageToDict
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
def encoded(value, name=None):
    if isinstance(value, dict):
        return {key: encoded(each, key) for key, each in value.items()}
    if isinstance(value, list):
        return [encoded(each) for each in value]
    # OTLP writes ids in hex, where JSON of Protocol Buffers has base64.
    return base64.b64encode(bytes.fromhex(value)).decode() if name in ("traceId", "spanId", "parentSpanId") else value
given = json.load(open(sys.argv[1]))
assert MessageToDict(Parse(json.dumps(encoded(given)), ExportTraceServiceRequest()))
print(json.dumps(given))`;
    const PYTHONPATH = await pythonPackages(...OTLP);
    const file = await exported("otel");
    const { resourceSpans } = await read(code, file, { ...process.env, PYTHONPATH });

    const { spans } = resourceSpans[0].scopeSpans[0];
    const attributesOf = (part: { attributes: { key: string; value: object }[] }) =>
      Object.fromEntries(part.attributes.map(({ key, value }) => [key, Object.values(value)[0]]));
    const [root, late, nowhere, hello] = spans;
    expect(spans.map(({ name }: { name: string }) => name)).toEqual([
      "invoke_agent waiter",
      ...Array(3).fill("execute_tool chat.postMessage"),
    ]);
    expect([root.traceId, late.traceId, late.parentSpanId]).toEqual([runId, runId, root.spanId]);
    expect([hello.traceId, hello.parentSpanId]).toEqual([TRACE, CALLER]);
    expect(hello.links).toMatchObject([{ traceId: runId, spanId: root.spanId }]);
    expect(new Set(spans.map(({ spanId }: { spanId: string }) => spanId)).size).toBe(4);
    const attributes = attributesOf(late);
    expect(attributes).toMatchObject({
      "gen_ai.operation.name": "execute_tool",
      "gen_ai.tool.name": "chat.postMessage",
    });
    expect(JSON.parse(attributes["gen_ai.tool.call.arguments"])).toMatchObject({ text: HOSTILE });
    expect(JSON.parse(attributes["gen_ai.tool.call.result"])).toMatchObject({ ok: true });
    expect(attributesOf(nowhere)["error.type"]).toBe("channel_not_found");
    expect(nowhere.status).toMatchObject({ code: 2 });
    const changes = late.events.map(attributesOf);
    const message = changes.find((each: any) => each["diorama.change.table"] === "messages");
    expect(JSON.parse(message["diorama.change.after"])).toMatchObject({ text: HOSTILE });
    const result = root.events.find((each: any) => each.name === "gen_ai.evaluation.result");
    expect(attributesOf(result)).toMatchObject({
      "gen_ai.evaluation.score.value": 0,
      "gen_ai.evaluation.score.label": "failed",
    });
    const known = new Set<unknown>(Object.values(conventions));
    const named = [root, late, nowhere, result].flatMap((each) => Object.keys(attributesOf(each)));
    expect(named.filter((each) => !(known.has(each) || each.startsWith("diorama.")))).toEqual([]);
    expect(known).toContain("gen_ai.evaluation.result");

    expect(await Bun.file(await exported("otel")).text()).toBe(await Bun.file(file).text());
  },
  MINUTES,
);

test("lines of JSON are printed without a file, and other choices are errors", async () => {
  const { code, out } = await commands.run(["runs", "export", runId, "--format", "jsonl"]);

  expect(code).toBe(0);
  const lines = out
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line));
  expect(lines.map(({ type }) => type)).toEqual([
    ...["run", "call", "call", "call", "change", "verdict"],
  ]);
  expect(lines[1]).toMatchObject({ n: 1, name: "chat.postMessage", error: null });
  expect(lines[1].rows).toContainEqual(added(HOSTILE));
  expect(lines[4]).toMatchObject({ table: "users", after: { real_name: "Nobody" } });
  expect(lines[5]).toMatchObject({ status: "failed", reward: 0, unsafe: 3 });
  for (const [options, message] of [
    [[], "one of --html and --format is needed"],
    [["--format", "atif", "--html", "x.html"], "one of --html and --format is needed"],
    [["--html", "x.html", "--output", "y"], "--output goes with --format"],
    [["--format", "csv"], "Allowed choices are atif, otel, inspect, jsonl"],
    [["--format", "atif", "--output", "/dev/null/x"], "/dev/null/x cannot be written"],
  ] as const) {
    const ended = await commands.run(["runs", "export", runId, ...options]);
    expect([ended.code === 0, ended.out]).toEqual([false, ""]);
    expect(ended.err).toContain(message);
  }
});
