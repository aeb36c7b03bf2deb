/** Shapes of waits for what happens in an environment. */
import { Type } from "@sinclair/typebox";
import { type Static, t } from "elysia";
import { Count, Id } from "~/http/model";

export const QUIET_MS_DEFAULT = 3_000;
export const TIMEOUT_MS_DEFAULT = 30_000;
const QUIET_MS_MAX = 60_000;
export const TIMEOUT_MS_MAX = 120_000;

const Until = t.Object(
  {
    type: t.String({
      maxLength: 64,
      description: "The type of an event, as apps subscribe to it",
      examples: ["message.channels"],
    }),
    where: t.Optional(
      t.Record(t.String(), t.Unknown(), {
        description:
          "Conditions of assertions on `n`, `service`, `cause` and `payload`, as the list of deliveries has them; without `regex`",
        examples: [{ "payload.event.user": "U01AGENTBOT" }],
      }),
    ),
    after: t.Optional(
      Type.Integer({
        ...Count,
        maximum: Number.MAX_SAFE_INTEGER,
        default: 0,
        description: "Only events with a greater number: those before are known",
      }),
    ),
  },
  {
    title: "Until",
    description: "An event to wait for. The environment has apps; they need not subscribe to it",
  },
);
export type Until = Static<typeof Until>;

export const NewWait = t.Object(
  {
    until: t.Optional(Until),
    quietMs: t.Optional(
      Type.Integer({
        minimum: 0,
        maximum: QUIET_MS_MAX,
        // No `default`: it would be filled in, and `until` goes by what is given.
        description: `It is idle once there was no call, and nothing was sent to an app, for so many milliseconds of real time. ${QUIET_MS_DEFAULT} unless given; with \`until\`, the wait then does not end on idle`,
      }),
    ),
    timeoutMs: t.Optional(
      Type.Integer({
        minimum: 0,
        maximum: TIMEOUT_MS_MAX,
        default: TIMEOUT_MS_DEFAULT,
        description: "The answer comes after so many milliseconds in any case",
      }),
    ),
  },
  {
    title: "NewWait",
    description: "An event to wait for, when the environment counts as idle, and how long to wait",
    examples: [{ quietMs: QUIET_MS_DEFAULT, timeoutMs: TIMEOUT_MS_DEFAULT }],
  },
);
export type NewWait = Static<typeof NewWait>;

export const Waited = t.Object(
  {
    environmentId: Id,
    ended: t.Union([t.Literal("event"), t.Literal("idle"), t.Literal("timeout")], {
      title: "WaitEnd",
      description:
        "`event`: what it waited for has happened; `idle`: nothing happens any more; `timeout`: something may",
      examples: ["idle"],
    }),
    event: t.Nullable(Type.Integer({ ...Count }), {
      description: "The number of the event that it waited for; null if there is none",
    }),
    ms: Type.Integer({ ...Count, description: "How long it took", examples: [3120] }),
    open: Type.Integer({
      ...Count,
      description: "Deliveries to apps that are due, or not acknowledged yet",
      examples: [0],
    }),
    busy: t.Nullable(
      t.String({ examples: ["the status of thread C01GENERAL 1767603600.731938: is thinking"] }),
      {
        description:
          "What shows that an app is at work, although it calls nothing: its status as an assistant, a stream that has not ended, or an agent session. Null: nothing does",
      },
    ),
  },
  { title: "Waited", description: "Why a wait has ended" },
);
export type Waited = Static<typeof Waited>;
