import { Type } from "@sinclair/typebox";
import { type Static, t } from "elysia";
import { Timestamp } from "~/http/model";

const CLOCK_MODES = {
  running: "runs as fast as real time",
  frozen: "stands still",
  step: "goes forward by `stepMs` with each call",
} as const;
const ClockMode = t.Union([t.Literal("running"), t.Literal("frozen"), t.Literal("step")], {
  title: "ClockMode",
  description: Object.entries(CLOCK_MODES)
    .map(([mode, says]) => `\`${mode}\`: ${says}`)
    .join("; "),
  examples: ["running"],
});
const STEP_MS_MAX = 86_400_000;
const StepMs = Type.Integer({
  minimum: 1,
  maximum: STEP_MS_MAX,
  description: "Milliseconds by which each call moves a clock of the mode `step`",
  examples: [1_000],
});

export const NewClock = t.Union(
  [
    t.Literal("real", { description: "Real time" }),
    t.Object(
      {
        now: t.Optional(
          t.String({
            format: "date-time",
            description:
              "The time that it begins with, in the years 2002 to 2037. Omitted: that of the template, else real time",
            examples: ["2026-03-11T09:00:00Z"],
          }),
        ),
        mode: t.Optional(ClockMode),
        stepMs: t.Optional(StepMs),
      },
      { title: "ClockSettings", description: "A clock of its own" },
    ),
  ],
  {
    description:
      "The environment's clock. Omitted: it runs from the day on which the template's story plays, or shows real time if the template has none, as the basic and default templates",
    examples: [{ now: "2026-03-11T09:00:00Z", mode: "step", stepMs: 1_000 }],
  },
);
export type NewClock = Static<typeof NewClock>;

export const ClockView = t.Object(
  {
    mode: t.Union([t.Literal("real"), ...ClockMode.anyOf], {
      title: "ShownClockMode",
      description: "`real`: real time; otherwise see ClockMode",
      examples: ["running"],
    }),
    now: {
      ...Timestamp,
      description:
        "The time in the environment, which its service's answers have as `Date`: tell it to your agent",
    },
    stepMs: t.Optional(StepMs),
  },
  { title: "Clock", description: "The clock of an environment" },
);
export type ClockView = Static<typeof ClockView>;

/** The reading of a clock at one moment, in milliseconds since 1970. It says nothing about real time. */
export type Reading =
  | { readonly mode: "running" | "frozen"; readonly now: number }
  | { readonly mode: "step"; readonly now: number; readonly stepMs: number };

/**
 * A clock as it is stored: it showed `now` when the real time was `since` (running), or at the call with the number
 * `call` (step).
 */
export type Clock = Reading & { readonly since: number; readonly call: number };

/** The part of an environment's row that concerns its time and its ids. Null: real time, random bytes. */
export type Timing = {
  readonly clock: Clock | null;
  readonly firstClock: Reading | null;
  readonly seed: string | null;
  readonly calls: number;
};
