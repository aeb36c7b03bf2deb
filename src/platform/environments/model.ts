import { Type } from "@sinclair/typebox";
import { type Static, t } from "elysia";
import { Count, Id, IdRef, Service, ServiceName, Timestamp, UserId } from "~/http/model";
import { NextCursor, PageQuery } from "~/http/page";
import { Faults } from "~/platform/faults/model";
import { ServiceFilter, TemplateName, TemplateRef } from "~/platform/templates/model";

/** Seven days. */
export const TTL_SECONDS_MAX = 604_800;
export const TTL_SECONDS_DEFAULT = 1_800;

/** Environments that one call creates. */
export const BATCH_MAX = 64;

export const TokenStyle = t.Union([t.Literal("xoxp"), t.Literal("xoxb")], {
  description:
    "The prefix that `token` gets, for chat clients that branch on it: of a user's token or of a bot's. The environment accepts its token with either prefix and without one",
});

export const CLOCK_MODES = {
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

const NewClock = t.Union(
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

export const NewEnvironment = t.Object(
  {
    templateService: t.Optional(ServiceName),
    templateName: t.Optional(TemplateRef),
    testId: t.Optional(
      t.String({
        ...IdRef,
        maxLength: 255,
        description: "A test, which supplies service, template and user",
      }),
    ),
    impersonateUserId: t.Optional(
      t.String({ ...UserId, description: "Id of the user that the agent acts as" }),
    ),
    impersonateEmail: t.Optional(
      t.String({
        minLength: 1,
        maxLength: 255,
        description: "Email of the user that the agent acts as, in place of the id",
        examples: ["agent@acme.test"],
      }),
    ),
    ttlSeconds: t.Optional(
      t.Number({
        exclusiveMinimum: 0,
        maximum: TTL_SECONDS_MAX,
        default: TTL_SECONDS_DEFAULT,
        description: "The environment is deleted after this many seconds",
      }),
    ),
    count: t.Optional(
      Type.Integer({
        minimum: 1,
        maximum: BATCH_MAX,
        description:
          "Creates this many environments, all or none. The answer is the first one with all of them in `environments`",
      }),
    ),
    clock: t.Optional(NewClock),
    seed: t.Optional(
      Type.Integer({
        minimum: 0,
        maximum: Number.MAX_SAFE_INTEGER,
        description:
          "Ids, and other random values of the service, derive from this number and the number of the call: with a clock of the mode `frozen` or `step`, the same calls get the same answers",
        examples: [7],
      }),
    ),
    faults: t.Optional(Faults),
    tokenStyle: t.Optional(TokenStyle),
    allowImpersonation: t.Optional(
      t.Boolean({
        default: false,
        description:
          "Lets the environment's token name another user per call, with the service's own user token. An API key always may",
      }),
    ),
  },
  {
    title: "NewEnvironment",
    description: "A template or a test, and the user that the agent acts as",
    examples: [
      {
        templateService: "chat",
        templateName: "chat_default",
        impersonateUserId: "U01AGENTONE",
        ttlSeconds: TTL_SECONDS_DEFAULT,
      },
    ],
  },
);
export type NewEnvironment = Static<typeof NewEnvironment>;

export const Environment = t.Object(
  {
    environmentId: Id,
    environmentUrl: t.String({
      description: "Path prefix of the service's own calls",
      examples: [`/api/env/${Id["examples"][0]}/services/chat`],
    }),
    mcpUrl: t.String({
      description: "Path of the service's tools over the Model Context Protocol",
      examples: [`/api/env/${Id["examples"][0]}/services/chat/mcp`],
    }),
    schemaName: t.String({
      description: "The database schema that holds its rows",
      examples: [`env_${Id["examples"][0]}`],
    }),
    expiresAt: Timestamp,
    templateSchema: t.String({ ...TemplateName, description: "The template that was cloned" }),
    service: Service,
    clock: ClockView,
    token: t.String({
      pattern: "^(xox[pb]-)?diorama_e_[0-9A-Za-z]{49}$",
      description:
        "For the agent: gives access to this environment's service only, as the environment's own user. Shown once.",
      examples: [`diorama_e_${"0".repeat(49)}`],
    }),
  },
  { title: "Environment", description: "A disposable copy of a service" },
);
export type Environment = Static<typeof Environment>;

/** As long as the chat service's own triggers are valid. */
export const TRIGGER_SECONDS_DEFAULT = 3;
const TRIGGER_SECONDS_MAX = 3_600;

export const NewTrigger = t.Object(
  {
    userId: t.Optional(
      t.String({
        ...UserId,
        description: "Id of the user who clicks; the environment's own user if absent",
      }),
    ),
    ttlSeconds: t.Optional(
      t.Number({
        exclusiveMinimum: 0,
        maximum: TRIGGER_SECONDS_MAX,
        default: TRIGGER_SECONDS_DEFAULT,
        description: "The trigger is valid for this many seconds",
      }),
    ),
  },
  {
    title: "NewTrigger",
    description: "The user who clicks",
    examples: [{ userId: "U02JOHNADOE", ttlSeconds: 60 }],
  },
);
export type NewTrigger = Static<typeof NewTrigger>;

export const Trigger = t.Object(
  {
    triggerId: t.String({
      description: "Valid once, in this environment only",
      examples: [`1767603600000.0123456789.U02JOHNADOE.${"0".repeat(32)}`],
    }),
    userId: t.String(UserId),
    expiresAt: Timestamp,
  },
  { title: "Trigger", description: "The trigger_id of a click, for views.open and its kin" },
);

export const DeletedEnvironment = t.Object(
  { environmentId: Id, status: t.Literal("deleted") },
  { title: "DeletedEnvironment", description: "The environment and its data are deleted" },
);

const Status = t.Union([t.Literal("active"), t.Literal("deleted")], {
  title: "EnvironmentStatus",
  description: "`deleted` once it is expired or deleted",
});

export const EnvironmentQuery = t.Object({
  service: t.Optional(ServiceFilter),
  templateName: t.Optional(TemplateRef),
  status: t.Optional(Status),
  ...PageQuery,
});
export type EnvironmentQuery = Static<typeof EnvironmentQuery>;

/** The answer of initEnv. */
export const CreatedEnvironment = t.Object(
  {
    ...Environment.properties,
    prompt: t.Optional(
      t.String({
        description: "The prompt of its test, if it has one, with the time in place of `{{now}}`",
        examples: ["It is Friday 13 February 2026, 09:00 UTC. Say hello in #general."],
      }),
    ),
    environments: t.Optional(
      t.Array(Environment, { description: "All of them, if the request has a `count`" }),
    ),
  },
  { title: "CreatedEnvironment", description: "A disposable copy of a service" },
);
export type CreatedEnvironment = Static<typeof CreatedEnvironment>;

const { token: _, clock: __, ...listed } = Environment.properties;

/** The state of an environment, without its token. */
export const StateProperties = { ...listed, status: Status, createdAt: Timestamp };

export const Gradable = t.Nullable(t.Boolean(), {
  description:
    "True if the run has a complete diff; otherwise its outcome says nothing about the agent. Null while it is running",
  examples: [true],
});

const LastRun = t.Object(
  {
    runId: Id,
    status: t.Union(
      [t.Literal("running"), t.Literal("completed"), t.Literal("passed"), t.Literal("failed")],
      { examples: ["running"] },
    ),
    startedAt: Timestamp,
    gradable: Gradable,
  },
  { title: "LastRun", description: "The newest run of an environment" },
);

export const ActingUser = t.String({ ...UserId, description: "The user that the agent acts as" });
const NewestRun = t.Nullable(LastRun, {
  description: "Its newest run, active or not; null if it had none",
});

export const ListedEnvironment = t.Object(
  { ...StateProperties, impersonateUserId: ActingUser, run: NewestRun },
  { title: "ListedEnvironment", description: "An environment, without its token" },
);

export const EnvironmentDetail = t.Object(
  {
    ...ListedEnvironment.properties,
    allowImpersonation: t.Boolean({ description: "Its token may act as other users" }),
    parentEnvironmentId: t.Nullable(Id, {
      description: "The environment that it is a fork of; null if it is not a fork",
    }),
    atCall: t.Nullable(Type.Integer({ ...Count }), {
      description: "Calls of that environment until the fork; null if it is not one",
    }),
    clock: ClockView,
    ageSeconds: t.Number({ minimum: 0, description: "How long it has lived", examples: [61.5] }),
    secondsLeft: t.Number({
      minimum: 0,
      description: "Until it expires; 0 once it is deleted",
      examples: [1738.5],
    }),
    calls: Type.Integer({
      ...Count,
      description: "Calls during its runs, by their journals: up to a fifth of a second ago",
      examples: [12],
    }),
    changedRows: t.Nullable(Type.Integer({ ...Count }), {
      description:
        "Rows that differ from the template now. Null if it is deleted, or its template has been replaced",
      examples: [3],
    }),
  },
  { title: "EnvironmentDetail", description: "An environment and what has happened in it so far" },
);

export const Extension = t.Object(
  {
    ttlSeconds: t.Number({
      exclusiveMinimum: 0,
      maximum: TTL_SECONDS_MAX,
      description: "The environment lives for at least this many seconds from now",
    }),
  },
  {
    title: "Extension",
    description: "The time that the environment shall have left",
    examples: [{ ttlSeconds: 3_600 }],
  },
);
export type Extension = Static<typeof Extension>;

export const EnvironmentList = t.Object(
  {
    environments: t.Array(ListedEnvironment, { description: "One page" }),
    nextCursor: NextCursor,
  },
  { title: "EnvironmentList", description: "A page of environments, newest first" },
);
