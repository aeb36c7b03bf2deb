/** A run as a trajectory in the Agent Trajectory Interchange Format. */
import {
  answerOf,
  argumentsOf,
  iso,
  type RecordedCall,
  type RunRecord,
} from "~/commands/records/record";

const VERSION = "ATIF-v1.8";
const NOTES =
  "Recorded by the environment: each call is a step, with the rows that it changed in its observation. What the agent wrote and thought is not known here.";

export function atif(record: RunRecord): string {
  const { about, verdict, agent = "unknown", model, calls } = record;
  const steps = stepsOf(record).map((step, index) => ({ step_id: index + 1, ...step }));
  const trajectory = {
    schema_version: VERSION,
    session_id: about.runId,
    trajectory_id: about.runId,
    agent: {
      name: agent,
      version: about.labels["version"] ?? "unknown",
      ...(model !== undefined && { model_name: model }),
      extra: { labels: about.labels },
    },
    steps,
    notes: NOTES,
    final_metrics: { total_steps: steps.length, extra: { calls: calls.length, ...verdict } },
    extra: about,
  };
  return `${JSON.stringify(trajectory, null, 2)}\n`;
}

function stepsOf({ about, prompt, startedAt, endedAt, calls, others }: RunRecord) {
  const world = `An environment of ${about.service}, from the template ${about.templateName}.`;
  const begin = { timestamp: iso(startedAt) };
  return [
    { ...begin, source: "system", message: world },
    ...(prompt === null ? [] : [{ ...begin, source: "user", message: prompt }]),
    ...calls.map(stepOf),
    ...(others.length === 0
      ? []
      : [
          {
            timestamp: iso(endedAt),
            source: "system",
            message: "Changes that belong to no call of the agent.",
            observation: { results: [{ extra: { changes: others } }] },
          },
        ]),
  ];
}

function stepOf(call: RecordedCall) {
  const { id, n, at, ms, service, via, name, status, error, fault, request, trace } = call;
  return {
    timestamp: iso(Date.parse(at)),
    source: "agent",
    message: "",
    tool_calls: [
      {
        tool_call_id: id,
        function_name: name,
        arguments: argumentsOf(call),
        extra: { n, service, via, request, trace },
      },
    ],
    observation: {
      results: [
        {
          source_call_id: id,
          content: answerOf(call),
          extra: { status, error, fault, ms, changes: call.rows },
        },
      ],
    },
  };
}
