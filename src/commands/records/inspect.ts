/** A run as a log of Inspect AI with one sample: `inspect view` and its API for logs read it. */
import type { RunEvent } from "~/clients/typescript/schema";
import { answerOf, argumentsOf, iso, type RunRecord } from "~/commands/records/record";

/** Of the format. */
const VERSION = 2;
const SCORER = "diorama";
const SPAN = "run";
/** Where the labels do not say it: the form is provider/model. */
const NO_MODEL = "none/none";

export function inspect(record: RunRecord): string {
  const { about, verdict, calls, startedAt, endedAt } = record;
  const model = record.model ?? NO_MODEL;
  const sample = about.testName ?? about.runId;
  const times = { started_at: iso(startedAt), completed_at: iso(endedAt) };
  const isGradable = verdict.gradable !== false;
  const log = {
    version: VERSION,
    status: about.seconds === null ? "started" : "success",
    eval: {
      eval_id: about.runId,
      run_id: about.runId,
      task_id: about.testSuiteId ?? about.testId ?? about.runId,
      created: iso(startedAt),
      task: about.testSuiteName ?? about.testName ?? SCORER,
      dataset: { name: about.templateName, samples: 1, sample_ids: [sample] },
      model,
      config: {},
      metadata: about,
    },
    plan: { name: "plan", steps: [] },
    results: resultsOf(record),
    stats: times,
    samples: [
      {
        id: sample,
        epoch: 1,
        input: record.prompt ?? "",
        target: "",
        messages: messagesOf(record),
        output: { model, choices: [] },
        scores: scoreOf(record) && { [SCORER]: scoreOf(record) },
        metadata: { ...verdict, calls: calls.length, complete: about.complete },
        events: eventsOf(record),
        ...times,
        total_time: about.seconds,
        uuid: about.runId,
        ...(!isGradable && { error: errorOf(verdict.cause ?? "not gradable") }),
      },
    ],
  };
  return `${JSON.stringify(log, null, 2)}\n`;
}

const errorOf = (message: string) => ({ message, traceback: message, traceback_ansi: message });

/** Null without a verdict: such a run says nothing about the agent. */
function scoreOf({ verdict }: RunRecord) {
  const { reward, gradable, passed, success, unsafe, score, reasons } = verdict;
  if (gradable !== true || reward === null || passed === null) return null;
  return {
    value: passed ? "C" : "I",
    explanation: reasons || "Every assertion holds.",
    metadata: { reward, success, unsafe, score },
  };
}

function resultsOf(record: RunRecord) {
  const score = scoreOf(record);
  const name = "accuracy";
  const metrics = { [name]: { name, value: score?.value === "C" ? 1 : 0 } };
  return {
    total_samples: 1,
    completed_samples: score ? 1 : 0,
    scores: score ? [{ name: SCORER, scorer: SCORER, metrics }] : [],
  };
}

const messagesOf = ({ prompt, calls }: RunRecord) => [
  ...(prompt === null ? [] : [{ role: "user", content: prompt }]),
  ...calls.flatMap((call) => [
    {
      role: "assistant",
      content: "",
      tool_calls: [{ id: call.id, function: call.name, arguments: argumentsOf(call) }],
    },
    {
      role: "tool",
      content: answerOf(call),
      tool_call_id: call.id,
      function: call.name,
      ...(call.error !== null && { error: toolError(call.error) }),
    },
  ]),
];

const toolError = (message: string) => ({ type: "unknown", message });

/** Each call, followed by what it changed. */
function eventsOf(record: RunRecord) {
  const { startedAt, endedAt, calls, others } = record;
  const at = (id: string, ms: number) => ({
    uuid: `${record.about.runId}-${id}`,
    span_id: SPAN,
    timestamp: iso(ms),
    working_start: Math.max(0, ms - startedAt) / 1000,
  });
  const changed = (id: string, ms: number, changes: readonly RunEvent[]) =>
    changes.length === 0
      ? []
      : [{ ...at(id, ms), event: "info", source: SCORER, data: { changes } }];
  const score = scoreOf(record);
  return [
    { ...at("begin", startedAt), event: "span_begin", id: SPAN, type: "solver", name: SPAN },
    ...calls.flatMap((call) => {
      const began = Date.parse(call.at);
      const ended = began + (call.ms ?? 0);
      const { id, name, error, n, service, via, request, status, fault } = call;
      return [
        {
          ...at(id, began),
          ...{ event: "tool", type: "function", id, function: name },
          arguments: argumentsOf(call),
          result: answerOf(call),
          ...(error !== null && { error: toolError(error) }),
          completed: iso(ended),
          metadata: { n, service, via, request, status, fault },
        },
        ...changed(`${id}-changes`, ended, call.rows),
      ];
    }),
    ...changed("other-changes", endedAt, others),
    { ...at("end", endedAt), event: "span_end", id: SPAN },
    ...(score ? [{ ...at("score", endedAt), event: "score", score, scorer: SCORER }] : []),
  ];
}
