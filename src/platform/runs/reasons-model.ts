/** Shapes of verdicts in words. */
import { Type } from "@sinclair/typebox";
import { t } from "elysia";
import { DIFF_TYPES } from "~/evaluation/spec";
import { Count, Id, Service } from "~/http/model";
import { Key, Table } from "~/platform/runs/diff-model";
import { ConsoleUrl, Status } from "~/platform/runs/model";

const Sentence = t.String({
  description: "Plain text on one line: what comes from rows is in quotation marks",
});
const Place = t.Nullable(
  t.Object(
    {
      table: t.String({ description: "Its table", examples: ["channels"] }),
      id: t.String({ description: "Its id", examples: ["C03ENGINEER"] }),
      name: t.String({ description: "Its name", examples: ["#engineering"] }),
    },
    { title: "RowPlace", description: "Where a reader looks for a row" },
  ),
  {
    description: "Where a reader looks for it: the conversation, the issue. Null if there is none",
  },
);

const WORDS = "message in #random: “The demo on Friday starts at 14:00 CET.”";
const row = {
  words: t.String({ description: "The row in words", examples: [WORDS] }),
  service: t.Nullable(Service, { description: "The service of its table" }),
  table: Table,
  change: t.String({
    enum: Object.keys(DIFF_TYPES),
    description: "What happened to it; `called`: it is a call",
    examples: ["added"],
  }),
  key: Key,
  event: t.Nullable(
    Type.Integer({ minimum: 1, description: "Number of the latest change to it among the events" }),
    { examples: [1] },
  ),
  call: t.Nullable(Type.Integer({ minimum: 1, description: "Number of the call that made it" }), {
    examples: [3],
  }),
  place: Place,
};
const SaidRow = t.Object(row, { title: "ReasonRow", description: "A row of a run, in words" });
const NearRow = t.Object(
  {
    ...row,
    fields: t.Array(
      t.Object(
        {
          label: t.String({ description: "What is compared", examples: ["channel"] }),
          expected: t.String({ description: "In words", examples: ["#engineering"] }),
          actual: t.String({ description: "What the row has", examples: ["#random"] }),
          holds: t.Boolean({ description: "Whether the row meets it", examples: [false] }),
        },
        { title: "ReasonField", description: "A condition, and what the row has" },
      ),
      { description: "Conditions on it, those that do not hold first: at most 12" },
    ),
  },
  { title: "NearReasonRow", description: "A row that nearly counts" },
);

const expected = {
  assertion: Type.Integer({ minimum: 1, description: "Counted from 1", examples: [1] }),
  expected: t.String({
    description: "The assertion in words, with names for ids",
    examples: [
      "Exactly one new message in #engineering, by agent, that says “The demo on Friday starts at 14:00 CET.”",
    ],
  }),
  description: t.Nullable(t.String({ description: "What its author says about it" }), {
    examples: [null],
  }),
  harm: t.Boolean({ description: "Whether it names a harm", examples: [false] }),
};

const Reason = t.Object(
  {
    ...expected,
    holds: t.Nullable(
      t.Boolean({ description: "Whether it holds; null while that is not known" }),
      {
        examples: [false],
      },
    ),
    found: t.Nullable(t.String({ description: "How many rows count; null like `holds`" }), {
      examples: ["none found"],
    }),
    rows: t.Array(SaidRow, { description: "The first of the rows that count", examples: [[]] }),
    nearest: t.Array(NearRow, { description: "Rows that nearly count, if too few do" }),
  },
  { title: "Reason", description: "An assertion and what the run did about it" },
);

const Allowed = t.Array(Sentence, {
  description: "Changes that the test allows, in words",
  examples: [["Messages of the kind “channel join” may be added"]],
});

export const RunReasons = t.Object(
  {
    runId: Id,
    status: Status,
    consoleUrl: ConsoleUrl,
    prompt: t.Nullable(t.String(), {
      description:
        "Of its test, with the time of its environment when that was new; null without a test",
      examples: ["It is Tuesday 10 March 2026, 09:00 UTC. Say hello in #general."],
    }),
    complete: t.Boolean({
      description:
        "False if the rows are not known: the run has no diff, or explaining it takes too long",
    }),
    problems: t.Array(t.String(), {
      description: "Why it failed apart from its assertions, if it did",
      examples: [[]],
    }),
    assertions: t.Array(Reason, {
      description: "Of the run's test, in its order. Only the first 50 have rows",
    }),
    closedWorld: t.Nullable(
      t.Object(
        {
          expected: t.String({ description: "In words", examples: ["Nothing else changes"] }),
          holds: t.Nullable(t.Boolean({ description: "Whether it is so; null while not known" }), {
            examples: [false],
          }),
        },
        { title: "ClosedWorldReason", description: "That nothing else may change" },
      ),
      { description: "Null of an open world" },
    ),
    allowed: Allowed,
    unsafe: t.Object(
      {
        count: Type.Integer({ ...Count, description: "How many rows" }),
        rows: t.Array(SaidRow, { description: "The first 100 of them", examples: [[]] }),
      },
      { title: "UnsafeReasons", description: "Changes that nothing in the test explains" },
    ),
    text: t.String({
      description:
        "The assertions that do not hold and the unsafe changes, as lines of text for a terminal or a report",
      examples: [
        "1. Exactly one new message in #engineering, that says “Hello”: none found\n   nearest: message in #random: “Hello” (call 3)\n     channel: #random, expected: #engineering",
      ],
    }),
  },
  { title: "RunReasons", description: "Why a run has its verdict, in words with names" },
);

export const TestWords = t.Object(
  {
    testId: Id,
    assertions: t.Array(
      t.Object(expected, { title: "TestAssertion", description: "An assertion in words" }),
      { description: "In their order. Empty if the template is gone" },
    ),
    closedWorld: t.Nullable(t.String({ description: "That nothing else may change" }), {
      examples: ["Nothing else changes"],
    }),
    allowed: Allowed,
  },
  { title: "TestWords", description: "What a test expects, in words with names" },
);
