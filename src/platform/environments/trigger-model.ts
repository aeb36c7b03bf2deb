import { type Static, t } from "elysia";
import { Timestamp, UserId } from "~/http/model";

/** As long as a service's own triggers are valid. */
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
