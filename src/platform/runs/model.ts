import { Type } from "@sinclair/typebox";
import { type Static, t } from "elysia";
import { Count, EnvironmentRef, Id, IdRef, Service, Timestamp } from "~/http/model";
import { ActedByHand, DeliveryCount } from "~/platform/events/model";
import { Journal } from "~/platform/journal/model";
import { Actor, Diff } from "~/platform/runs/diff-model";
import {
  Ended,
  EndingKind,
  ExitCode,
  Explanation,
  Explanations,
  Failures,
  Graded,
  Judgement,
  nullable,
  Reward,
  Score,
  StateVerdict,
  Success,
} from "~/platform/runs/verdict-model";
import { ExpectedOutput } from "~/platform/suites/model";
import { TemplateName } from "~/platform/templates/model";

export const LABELS_MAX = 16;
export const LABEL_NAME = "^[A-Za-z0-9][A-Za-z0-9_./-]{0,63}$";
const LABEL_LENGTH_MAX = 256;
/** A filter or a list of labels. */
export const labels = (description: string) =>
  t.Record(t.String({ pattern: LABEL_NAME }), t.String({ maxLength: LABEL_LENGTH_MAX }), {
    additionalProperties: false,
    maxProperties: LABELS_MAX,
    description,
    examples: [{ agent: "my-agent", model: "gpt-5" }],
  });
export const Labels = labels("Its labels");

const NOTE_MAX = 4_000;
const Noted = {
  note: t.Nullable(t.String(), {
    description: "What a person says about it; null for nothing",
    examples: ["It asks for the thread, and then answers in the channel."],
  }),
  bookmarked: t.Boolean({ description: "Whether it is one to come back to", examples: [false] }),
  costUsd: t.Nullable(t.Number({ minimum: 0 }), {
    description: "The price of the attempt in US dollars; null if nobody gave it",
    examples: [0.0421],
  }),
};
const COST_MAX = 1_000_000;
const Cost = t.Number({
  minimum: 0,
  maximum: COST_MAX,
  description: "The price of the attempt in US dollars, as its runner knows it",
  examples: [0.0421],
});
export const ConsoleUrl = t.String({
  description: "Its page in the console, without the host",
  examples: [`/console/runs/${Id["examples"][0]}`],
});

export const RunChange = t.Object(
  {
    labels: t.Optional(
      t.Record(
        t.String({ pattern: LABEL_NAME }),
        t.Nullable(t.String({ maxLength: LABEL_LENGTH_MAX })),
        {
          additionalProperties: false,
          description: "Labels to set, and null for those to remove; the others stay",
          examples: [{ reviewed: "yes", draft: null }],
        },
      ),
    ),
    note: t.Optional(
      t.String({
        maxLength: NOTE_MAX,
        description: "What a person says about it; empty: nothing",
        examples: ["It answers in the channel instead of the thread."],
      }),
    ),
    bookmarked: t.Optional(t.Boolean({ description: "Whether it is one to come back to" })),
    costUsd: t.Optional(Cost),
  },
  {
    title: "RunChange",
    minProperties: 1,
    description: "New labels, a note, a bookmark, its cost, at any time",
  },
);
export type RunChange = Static<typeof RunChange>;

export const ChangedRun = t.Object(
  { runId: Id, labels: Labels, ...Noted },
  {
    title: "ChangedRun",
    description: "A run, all its labels, its note, its bookmark and its cost",
  },
);

export const NewRun = t.Object(
  {
    envId: EnvironmentRef,
    testId: t.Optional(
      t.String({ ...IdRef, description: "The test that evaluateRun checks the diff against" }),
    ),
    testSuiteId: t.Optional(
      t.String({ ...IdRef, description: "The suite whose results count this run" }),
    ),
    labels: t.Optional(
      labels(`Up to ${LABELS_MAX} texts by name, to find the run and to compare groups of runs`),
    ),
    journal: t.Optional(Journal),
  },
  {
    title: "NewRun",
    description: "The environment to watch, and what the run is for",
    examples: [{ envId: Id["examples"][0] }],
  },
);
export type NewRun = Static<typeof NewRun>;

export const StartedRun = t.Object(
  {
    runId: Id,
    status: t.Literal("running"),
    beforeSnapshot: t.String({ ...Id, description: "Identifies the state before the run" }),
    consoleUrl: ConsoleUrl,
  },
  { title: "StartedRun", description: "A run that has begun" },
);
export type StartedRun = Static<typeof StartedRun>;

export const RunRef = t.Object(
  {
    runId: IdRef,
    include: t.Optional(
      t.Array(Actor, {
        maxItems: 2,
        description:
          "Also changes by the environment's clock, or by its counterparts, as rows with `__actor__`. The stored diff leaves them out",
        examples: [["clock"]],
      }),
    ),
  },
  {
    title: "RunRef",
    description: "The run to end",
    examples: [{ runId: Id["examples"][0] }],
  },
);
export type RunRef = Static<typeof RunRef>;

export const CompletedRun = t.Object(
  { runId: Id, status: t.Literal("completed"), diff: Diff, consoleUrl: ConsoleUrl },
  { title: "CompletedRun", description: "A run that has ended, and what changed" },
);

export const EndedRun = t.Object(
  {
    runId: IdRef,
    expectedOutput: t.Optional(ExpectedOutput),
    ending: t.Optional(EndingKind),
    exitCode: t.Optional(ExitCode),
    costUsd: t.Optional(Cost),
  },
  {
    title: "EndedRun",
    description: "The run to end, how the attempt ended, and an expectation that replaces its test",
  },
);
export type EndedRun = Static<typeof EndedRun>;

export const EvaluatedRun = t.Object(
  {
    runId: Id,
    status: t.Union([t.Literal("passed"), t.Literal("failed")]),
    passed: t.Boolean({ description: "True when all assertions hold" }),
    score: Score,
    failures: Failures,
    explanations: Explanations,
    ...Judgement,
    ...Ended,
    ...Graded,
    consoleUrl: ConsoleUrl,
  },
  {
    title: "EvaluatedRun",
    description: "A run that has ended, and its verdict",
    examples: [
      {
        runId: Id["examples"][0],
        status: "passed",
        passed: true,
        score: { passed: 1, total: 1, percent: 100 },
        failures: [],
        explanations: [],
        success: true,
        reward: 1,
        unsafe: { count: 0, rows: [] },
        undone: 0,
        attack: null,
        ending: "answered",
        exitCode: 0,
        gradable: true,
        consoleUrl: ConsoleUrl["examples"][0],
      },
    ],
  },
);

export const Status = t.Union(
  [t.Literal("running"), t.Literal("completed"), t.Literal("passed"), t.Literal("failed")],
  {
    title: "RunStatus",
    description:
      "`completed`: ended without a verdict; `failed` also if its environment ended first",
    examples: ["completed"],
  },
);

/** Results of a run that may still be running or have no verdict. */
const Outcome = {
  status: Status,
  passed: t.Nullable(t.Boolean(), {
    description: "True when all assertions hold; null without a verdict",
    examples: [null],
  }),
  score: t.Nullable(Score, { description: "Null without a verdict", examples: [null] }),
  execution_time: t.Nullable(t.Number(), {
    description:
      "Seconds from startRun to completion, by the database's clock; null while it is running",
    examples: [1.25],
  }),
  success: nullable(Success),
  reward: nullable(Reward),
  ...Ended,
  ...Graded,
};
/** As lists show it. */
export const Summary = {
  ...Outcome,
  unsafeCount: nullable(
    Type.Integer({ ...Count, description: "Number of changes that nothing in the test explains" }),
  ),
};

/** Where it belongs. */
export const Origin = {
  environmentId: Id,
  testId: t.Nullable(Id, { description: "Its test, if it has one" }),
  testSuiteId: t.Nullable(Id, { description: "The suite it counts for, if any" }),
  startedAt: Timestamp,
  service: Service,
  templateName: TemplateName,
  testName: t.Nullable(t.String(), {
    description: "Null without a test, and if it is gone",
    examples: ["messages: post to a channel"],
  }),
  suiteId: t.Nullable(Id, {
    description: "The suite of its test, whether or not the run counts for it",
  }),
  testSuiteName: t.Nullable(t.String(), {
    description: "Null without a suite, and if it is gone",
    examples: ["Release checks"],
  }),
  ...Noted,
  consoleUrl: ConsoleUrl,
};

export const Results = t.Object(
  {
    runId: Id,
    ...Outcome,
    unsafe: Judgement.unsafe,
    undone: Judgement.undone,
    attack: Judgement.attack,
    stateVerdict: nullable(StateVerdict),
    failures: t.Array(t.String(), { ...Failures, examples: [[]] }),
    explanations: t.Optional(t.Array(Explanation, { ...Explanations, examples: [[]] })),
    diff: t.Nullable(Diff, {
      description: "Null while it is running, and when its changes are not known completely",
    }),
    deliveries: t.Optional(
      t.Array(DeliveryCount, {
        description:
          "How many deliveries of its events had which outcome, by type and state. Absent while it is running, if the environment had no apps before it, and if its events are not known completely",
        examples: [[]],
      }),
    ),
    actedByHand: t.Optional(ActedByHand),
    labels: Labels,
    ...Origin,
  },
  { title: "Run", description: "A run, and its results once it has ended" },
);
