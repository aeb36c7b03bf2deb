/** Shapes that many routes share. */
import { type Static, t } from "elysia";

/** `t.Integer` would be documented as "string or integer" and accept `"3"` in a body. */
export const Count = t.Number({ multipleOf: 1, minimum: 0 });
/** Of a query string: plain digits, nothing that JavaScript also takes for a number. */
export const Digits = t.String({ pattern: "^[0-9]{1,9}$" });
export const Timestamp = t.String({ format: "date-time", description: "ISO 8601, UTC" });
export const Id = t.String({
  minLength: 1,
  maxLength: 64,
  description: "32 lower-case hex digits",
});

/** Checked by the domain, so that an unknown one is `invalid_service`. */
export const ServiceName = t.String({ description: "`chat` or `tracker`" });

export const Envelope = t.Object({ ok: t.Literal(false), error: t.String(), detail: t.String() });
export type Envelope = Static<typeof Envelope>;

export const LimitBody = t.Object(
  { valid: t.Literal(false), reason: t.String(), limit: Count, current: Count },
  { description: "A limit is used up" },
);

export const IDEMPOTENCY_KEY = "1 to 255 visible ASCII characters";

/** Checked where it is used: a header that does not fit is refused by its name. */
export const IdempotencyHeader = t.Object({
  "idempotency-key": t.Optional(
    t.String({
      description: `${IDEMPOTENCY_KEY}; a UUID is best, as nobody guesses it. The same call with the same key has its effect once and gets the same answer, for 24 hours.`,
    }),
  ),
});
