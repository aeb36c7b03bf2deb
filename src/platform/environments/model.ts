import { type Static, t } from "elysia";
import { ServiceName, Timestamp } from "~/http/model";
import { NextCursor, PageQuery } from "~/http/page";

/** Seven days. */
export const TTL_SECONDS_MAX = 604_800;
export const TTL_SECONDS_DEFAULT = 1_800;

const Name = t.String({ minLength: 1, maxLength: 255 });

export const NewEnvironment = t.Object({
  templateService: t.Optional(ServiceName),
  templateName: t.Optional(Name),
  testId: t.Optional(Name),
  impersonateUserId: t.Optional(Name),
  impersonateEmail: t.Optional(Name),
  ttlSeconds: t.Optional(
    t.Number({ exclusiveMinimum: 0, maximum: TTL_SECONDS_MAX, default: TTL_SECONDS_DEFAULT }),
  ),
  allowImpersonation: t.Optional(
    t.Boolean({
      default: false,
      description:
        "Lets the environment's token name another user per call, with the service's own user token. An API key always may.",
    }),
  ),
});
export type NewEnvironment = Static<typeof NewEnvironment>;

export const Environment = t.Object({
  environmentId: t.String(),
  environmentUrl: t.String({ description: "Path prefix of the service's own calls" }),
  schemaName: t.String(),
  expiresAt: Timestamp,
  templateSchema: t.String({ description: "The template that was cloned" }),
  service: t.String(),
  token: t.String({
    description:
      "For the agent: opens this environment's service and nothing else, as the environment's own user. Shown once.",
  }),
});
export type Environment = Static<typeof Environment>;

export const DeletedEnvironment = t.Object({
  environmentId: t.String(),
  status: t.Literal("deleted"),
});

const Status = t.Union([t.Literal("active"), t.Literal("deleted")]);

export const EnvironmentQuery = t.Object({
  service: t.Optional(t.String({ maxLength: 255, description: "`chat` or `tracker`" })),
  templateName: t.Optional(Name),
  status: t.Optional(Status),
  ...PageQuery,
});
export type EnvironmentQuery = Static<typeof EnvironmentQuery>;

const { token: _, ...listed } = Environment.properties;

export const EnvironmentList = t.Object({
  environments: t.Array(t.Object({ ...listed, status: Status, createdAt: Timestamp })),
  nextCursor: NextCursor,
});
