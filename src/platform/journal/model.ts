import { Type } from "@sinclair/typebox";
import { type Static, t } from "elysia";
import { Count, Id, Kind, Timestamp } from "~/http/model";
import { numberedQuery } from "~/http/page";

export const Journal = t.Union([t.Literal("off"), t.Literal("calls"), t.Literal("full")], {
  title: "Journal",
  description:
    "Which calls the journal of a run keeps; `full` adds their answers, up to 64 kB each",
  examples: ["calls"],
});

export const CallQuery = numberedQuery("call");

const Arguments = t.Unknown({
  description:
    "As given, without credentials. Beyond 16 kB of JSON text: `{truncated, characters, beginning}`, where `beginning` is empty in a run with very many calls. Null if only the log knew the call, and they were too long",
  examples: [{ channel: "C01GENERAL", text: "Hello" }],
});

export const Call = t.Object(
  {
    n: Type.Integer({
      minimum: 1,
      description: "Its number in the run, in the order in which calls were answered",
      examples: [1],
    }),
    at: t.String({ ...Timestamp, description: "When it began, by the database's clock" }),
    ms: t.Nullable(Type.Number({ minimum: 0 }), {
      description: "How long it took; null of a call whose server died before it was noted",
      examples: [2.4],
    }),
    service: Kind,
    via: t.Union([t.Literal("rest"), t.Literal("graphql"), t.Literal("mcp")], {
      examples: ["rest"],
    }),
    name: t.String({
      description: "The method, the fields of a GraphQL operation, or the tool",
      examples: ["chat.postMessage"],
    }),
    arguments: Arguments,
    status: t.Nullable(Type.Integer(), {
      description: "HTTP status of the answer; null like `ms`",
      examples: [200],
    }),
    error: t.Nullable(t.String(), {
      description: "The service's error; null of a call that succeeded",
      examples: [null],
    }),
    fault: t.Nullable(t.String(), {
      description: "The fault that was injected into it: see `putFaults`",
      examples: [null],
    }),
    changes: t.Nullable(t.Array(Type.Integer({ minimum: 1 })), {
      description:
        "The changes that it committed: positions in the run's events, from 1. Null while they are not known, see `attribution`",
      examples: [[1]],
    }),
    request: t.String({
      description: "X-Request-Id",
      examples: ["0b2f4c9e-6a1d-4f38-9c57-3d1e8a7b6c50"],
    }),
    trace: t.Nullable(t.String(), {
      description: "The `traceparent` of the caller",
      examples: ["00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"],
    }),
    answer: t.Optional(t.Unknown({ description: "With `journal: full`" })),
  },
  { title: "Call", description: "A call to the environment" },
);
export type ListedCall = Static<typeof Call>;

export const CallPage = t.Object(
  {
    runId: Id,
    journal: Journal,
    attribution: t.Union([t.Literal("exact"), t.Literal("pending"), t.Literal("none")], {
      description:
        "Of changes to calls. `pending` until the run ends; `none` for a run that compares snapshots, or whose changes were lost",
      examples: ["exact"],
    }),
    complete: t.Boolean({ description: "False when calls were left out: there were too many" }),
    calls: t.Array(Call, { description: "One page" }),
    next: t.Nullable(Type.Integer({ ...Count }), {
      description: "`after` of the next page; null on the last one so far",
      examples: [null],
    }),
  },
  { title: "CallPage", description: "A page of the calls of a run" },
);
export type CallPage = Static<typeof CallPage>;
