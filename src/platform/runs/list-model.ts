/** Shapes of lists of runs, and what they can be asked. */
import { type Static, t } from "elysia";
import { Count, EnvironmentRef, Id, IdRef, Timestamp } from "~/http/model";
import { NextCursor, PageQuery } from "~/http/page";
import { Labels, labels, Origin, Status, Summary } from "~/platform/runs/model";

const TEXT_MAX = 200;
/** Runs are counted up to this many. */
export const COUNT_MAX = 10_000;

const moment = (description: string) => t.String({ ...Timestamp, description });
export const RunQuery = t.Object({
  environmentId: t.Optional(EnvironmentRef),
  testId: t.Optional(IdRef),
  testSuiteId: t.Optional(IdRef),
  status: t.Optional(Status),
  verdict: t.Optional(
    t.Union(
      [
        t.Literal("running"),
        t.Literal("passed"),
        t.Literal("failed"),
        t.Literal("unsafe"),
        t.Literal("ungraded"),
      ],
      {
        title: "RunVerdict",
        description:
          "As `status`, but `passed` and `failed` only of runs that say something about the agent. `unsafe`: changed something that nothing in the test explains. `ungraded`: has ended without such a verdict",
        examples: ["failed"],
      },
    ),
  ),
  text: t.Optional(
    t.String({
      minLength: 1,
      maxLength: TEXT_MAX,
      description:
        "Runs with this text in the name of their test, suite or template, in their labels, note or ids; upper and lower case are the same",
      examples: ["threads"],
    }),
  ),
  from: t.Optional(t.String({ documented: moment("Runs that started at this time or later") })),
  to: t.Optional(t.String({ documented: moment("Runs that started before this time") })),
  bookmarked: t.Optional(t.Literal("true", { description: "Only runs with a bookmark" })),
  labels: t.Optional(
    t.String({
      documented: labels("Runs that have these labels, each as `labels[name]=value`"),
    }),
  ),
  count: t.Optional(t.Literal("true", { description: "Adds `counts` to the answer" })),
  ...PageQuery,
});
export type RunQuery = Static<typeof RunQuery>;

export const ListedRun = t.Object(
  {
    runId: Id,
    ...Origin,
    labels: Labels,
    ...Summary,
  },
  { title: "ListedRun", description: "A run, without its diff" },
);

export const Siblings = t.Object(
  {
    runId: Id,
    attempts: t.Array(ListedRun, {
      description:
        "The runs of the same test with the same labels, except for `attempt`, in the order of their start: at most 100. Empty without a test",
    }),
    previous: t.Nullable(Id, {
      description:
        "The run of the same suite, or else of the same environment, that started before",
    }),
    next: t.Nullable(Id, { description: "The one that started after it" }),
  },
  { title: "RunSiblings", description: "The runs around a run" },
);

export const RunList = t.Object(
  {
    runs: t.Array(ListedRun, { description: "One page" }),
    counts: t.Optional(
      t.Object(
        {
          matching: { ...Count, description: "Runs that the filters match", examples: [12] },
          all: { ...Count, description: "The caller's runs", examples: [340] },
        },
        {
          description: `With \`count\`: of all pages. ${COUNT_MAX} stands for that many and more`,
        },
      ),
    ),
    nextCursor: NextCursor,
  },
  { title: "RunList", description: "A page of runs, newest first" },
);
