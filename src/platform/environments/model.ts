import { Type } from "@sinclair/typebox";
import { type Static, t } from "elysia";
import {
  Count,
  Id,
  IdRef,
  Kind,
  KindName,
  Service,
  ServiceName,
  Timestamp,
  UserId,
} from "~/http/model";
import { NextCursor, PageQuery } from "~/http/page";
import { Counterparts } from "~/platform/counterparts/model";
import { ClockView, NewClock } from "~/platform/environments/clock-model";
import { TokenStyle } from "~/platform/environments/token-model";
import { Faults } from "~/platform/faults/model";
import { CreatedApp, NewEventApps } from "~/platform/outbox/model";
import { ServiceFilter, TemplateName, TemplateRef } from "~/platform/templates/model";

/** Seven days. */
export const TTL_SECONDS_MAX = 604_800;
export const TTL_SECONDS_DEFAULT = 1_800;

/** More than there are. */
const SERVICES_MAX = 50;

/** Environments that one call creates. */
export const BATCH_MAX = 64;

export const NewEnvironment = t.Object(
  {
    templateService: t.Optional(KindName),
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
    services: t.Optional(
      t.Array(ServiceName, {
        minItems: 1,
        maxItems: SERVICES_MAX,
        description:
          "Of a world: the services that the environment has. Omitted: all of the template. The tables of the others stay as they are",
        examples: [Service["enum"].slice(0, 2)],
      }),
    ),
    impersonateEmail: t.Optional(
      t.String({
        minLength: 1,
        maxLength: 255,
        description:
          "Email of the user that the agent acts as, in place of the id. In a world it names one person in every service",
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
    events: t.Optional(NewEventApps),
    counterparts: t.Optional(Counterparts),
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

const [FIRST = ""] = Service["enum"];
const SERVICE_EXAMPLE = {
  url: `/api/env/${Id["examples"][0]}/services/${FIRST}`,
  mcpUrl: `/api/env/${Id["examples"][0]}/services/${FIRST}/mcp`,
  userId: "U01AGENTONE",
};
const EnvironmentService = t.Object(
  {
    url: t.String({ description: "Path prefix of its own calls", examples: [SERVICE_EXAMPLE.url] }),
    mcpUrl: t.String({ description: "Path of its tools", examples: [SERVICE_EXAMPLE.mcpUrl] }),
    userId: t.Nullable(
      t.String({ ...UserId, description: "The user that the agent acts as in this service" }),
      { description: "Null if the person has no account there: calls get the service's own error" },
    ),
  },
  { title: "EnvironmentService", description: "A service of an environment" },
);

export const Environment = t.Object(
  {
    environmentId: Id,
    environmentUrl: t.String({
      description:
        "Path prefix of the service's own calls. Of a world: of those of all services, each below its name",
      examples: [`/api/env/${Id["examples"][0]}/services/chat`],
    }),
    mcpUrl: t.String({
      description:
        "Path of the service's tools over the Model Context Protocol. Of a world: of the tools of all services",
      examples: [`/api/env/${Id["examples"][0]}/services/chat/mcp`],
    }),
    schemaName: t.String({
      description: "The database schema that holds its rows",
      examples: [`env_${Id["examples"][0]}`],
    }),
    expiresAt: Timestamp,
    templateSchema: t.String({ ...TemplateName, description: "The template that was cloned" }),
    service: Kind,
    services: t.Record(t.String(), EnvironmentService, {
      description: "Its services, by name",
      examples: [{ [FIRST]: SERVICE_EXAMPLE }],
    }),
    clock: ClockView,
    apps: t.Optional(
      t.Array(CreatedApp, { description: "Those that receive events, if there are any" }),
    ),
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

const { token: _, clock: __, apps: ___, ...listed } = Environment.properties;

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
