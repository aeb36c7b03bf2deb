/** Shapes of the faults of an environment. */
import { Type } from "@sinclair/typebox";
import { type Static, t } from "elysia";
import { Count, Id, ServiceName } from "~/http/model";

const FAULTS_MAX = 50;
const COUNT_MAX = 1_000_000;
const RETRY_AFTER_MAX = 3_600;
export const RETRY_AFTER_DEFAULT = 1;
const LATENCY_MS_MAX = 60_000;
const NO_ANSWER_MS_MAX = 120_000;
export const NO_ANSWER_MS_DEFAULT = 30_000;
const STALE_CALLS_MAX = 10;
export const STALE_CALLS_DEFAULT = 1;

const FAULT_KINDS = {
  rate_limited: "the service's rate limit, with `retryAfter`",
  server_error: "the service fails with HTTP 500, and nothing is written",
  token_expired: "the service's error for an expired token",
  latency: "the call is performed after `ms`",
  no_answer: "the connection is held for `ms`, then HTTP 504; nothing is written",
  lost_answer: "the call is performed and written, then HTTP 503",
  stale_read: "a call that only reads sees the state before the last `calls` calls",
  event_dropped: "an app does not receive the event",
  event_duplicated: "an app that has acknowledged the event receives it again, with the same id",
  event_delayed: "an app receives the event after `ms`, and the ones after it before that",
  event_disconnected:
    "the connections of an app are closed in place of sending the event, which is sent again later",
} as const;
const FaultKind = t.Union(
  [
    t.Literal("rate_limited"),
    t.Literal("server_error"),
    t.Literal("token_expired"),
    t.Literal("latency"),
    t.Literal("no_answer"),
    t.Literal("lost_answer"),
    t.Literal("stale_read"),
    t.Literal("event_dropped"),
    t.Literal("event_duplicated"),
    t.Literal("event_delayed"),
    t.Literal("event_disconnected"),
  ],
  {
    title: "FaultKind",
    description: Object.entries(FAULT_KINDS)
      .map(([kind, says]) => `\`${kind}\`: ${says}`)
      .join("; "),
    examples: ["rate_limited"],
  },
);
type FaultKind = Static<typeof FaultKind>;

const When = t.Object(
  {
    after: t.Optional(
      Type.Integer({
        minimum: 0,
        maximum: COUNT_MAX,
        default: 0,
        description: "So many of these calls pass first",
        examples: [1],
      }),
    ),
    times: t.Optional(
      Type.Integer({
        minimum: 1,
        maximum: COUNT_MAX,
        description: "So many calls get the fault, then no more. Omitted: all",
        examples: [2],
      }),
    ),
    rate: t.Optional(
      t.Number({
        exclusiveMinimum: 0,
        maximum: 1,
        description:
          "In place of `after` and `times`: the share of calls that get the fault, which `seed` and the number of the call decide",
      }),
    ),
    seed: t.Optional(
      Type.Integer({
        minimum: 0,
        maximum: Number.MAX_SAFE_INTEGER,
        default: 0,
        description: "Of `rate`: the same seed decides the same for the same number",
      }),
    ),
  },
  { title: "FaultWhen", description: "Which of the selected calls get the fault" },
);
export type When = Static<typeof When>;

const selector = (description: string, example: string) =>
  t.Optional(t.String({ minLength: 1, maxLength: 100, description, examples: [example] }));

export const Fault = t.Object(
  {
    fault: FaultKind,
    service: t.Optional({ ...ServiceName, description: "That of the environment" }),
    method: selector(
      "Calls of this method; `chat.*` of all that begin so. Not for tracker",
      "chat.postMessage",
    ),
    operation: selector(
      "Requests that select this field of a query or mutation; `issue*` all that begin so. For tracker",
      "issueCreate",
    ),
    tool: selector("Calls of this tool over MCP, or of all that begin so", "save_issue"),
    event: selector(
      "Of the faults of events, which need it: deliveries of this type, to any app; `message.*` all that begin so",
      "message.channels",
    ),
    when: t.Optional({ ...When, description: "Omitted: each of the selected calls" }),
    retryAfter: t.Optional(
      Type.Integer({
        minimum: 0,
        maximum: RETRY_AFTER_MAX,
        default: RETRY_AFTER_DEFAULT,
        description: "Of `rate_limited`: the seconds that the service asks its client to wait",
      }),
    ),
    perUser: t.Optional(
      t.Boolean({
        default: false,
        description:
          "Of `rate_limited`, for mail and calendar: the limit of the person is reached, not that of the whole client",
      }),
    ),
    ms: t.Optional(
      Type.Integer({
        minimum: 1,
        maximum: NO_ANSWER_MS_MAX,
        description: `Milliseconds. Of \`latency\`, at most ${LATENCY_MS_MAX}; of \`no_answer\`, by default ${NO_ANSWER_MS_DEFAULT}; of \`event_delayed\`, by the environment's clock`,
        examples: [500],
      }),
    ),
    calls: t.Optional(
      Type.Integer({
        minimum: 1,
        maximum: STALE_CALLS_MAX,
        default: STALE_CALLS_DEFAULT,
        description: "Of `stale_read`: how many calls the state that is read is behind",
      }),
    ),
  },
  {
    title: "Fault",
    description:
      "A fault, the calls or events that it is for, and how many of them get it. Without a method, operation, tool or event: every call",
  },
);
export type Fault = Static<typeof Fault>;

const EXAMPLE = {
  fault: "rate_limited",
  retryAfter: 1,
  method: "chat.postMessage",
  when: { after: 1, times: 1 },
} as const;

export const Faults = t.Array(Fault, {
  maxItems: FAULTS_MAX,
  description:
    "In this order: a call gets the first one that is due, which those after it do not count",
  examples: [[EXAMPLE]],
});

export const NewFaults = t.Object(
  { faults: Faults },
  {
    title: "NewFaults",
    description: "The faults of the environment from now on; an empty list for none",
    examples: [{ faults: [EXAMPLE] }],
  },
);

const FaultState = t.Object(
  {
    ...Fault.properties,
    matched: Type.Integer({
      ...Count,
      description: "Selected calls that reached it",
      examples: [3],
    }),
    injected: Type.Integer({ ...Count, description: "Calls that got it", examples: [1] }),
  },
  { title: "FaultState", description: "A fault, and the calls that it was for" },
);

export const FaultList = t.Object(
  { environmentId: Id, faults: t.Array(FaultState, { description: "In their order" }) },
  { title: "FaultList", description: "The faults of an environment" },
);
export type FaultList = Static<typeof FaultList>;

export const MS_MAX: { readonly [K in FaultKind]?: number } = {
  latency: LATENCY_MS_MAX,
  no_answer: NO_ANSWER_MS_MAX,
  event_delayed: NO_ANSWER_MS_MAX,
};

/** Whether a fault is one of deliveries of events. */
export const isOfEvents = ({ fault }: Pick<Fault, "fault">) => fault.startsWith("event_");
