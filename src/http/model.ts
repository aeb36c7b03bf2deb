/**
 * Shapes that many routes share.
 *
 * The OpenAPI document is derived from shapes. It names a shape that has a `title` once, as a component. A shape with
 * `documented` appears in the document as that other shape: its values are checked by the domain, with a specific code.
 */
import { Type } from "@sinclair/typebox";
import { t } from "elysia";
import { STATUS } from "~/errors";
import { REPLICAS } from "~/replicas/index";
import { WORLD } from "~/replicas/members";

/** Not `t.Integer`, which accepts `"3"` in a body as well. */
export const Count = Type.Integer({ minimum: 0, examples: [1] });
/** A number in a query string: plain digits, none of the other forms that JavaScript accepts. */
export const Digits = t.String({ pattern: "^[0-9]{1,9}$" });
export const Timestamp = t.String({
  format: "date-time",
  description: "ISO 8601, UTC",
  examples: ["2026-01-05T09:00:00.000Z"],
});

/** An id that the server generates. */
export const Id = t.String({
  pattern: "^[0-9a-f]{32}$",
  description: "32 lower-case hex digits",
  examples: ["4f2a9c0e7b1d4e6f8a3c5d7e9f1b2c4d"],
});

/** An id in a path, looked up without validation, as below. */
export const PathId = t.String({ documented: Id });
/** An id from a caller, looked up without validation: a malformed one is not found. */
export const IdRef = t.String({ minLength: 1, maxLength: 64, documented: Id });

export const ENVIRONMENT_ID = "^([0-9a-f]{32}|[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12})$";
const EnvironmentId = t.String({
  pattern: ENVIRONMENT_ID,
  description: "The environment's id: 32 lower-case hex digits, or a UUID with dashes",
  examples: Id["examples"],
});

/** An environment in a body. Checked by the domain: a malformed id does not exist. */
export const EnvironmentRef = t.String({ minLength: 1, maxLength: 64, documented: EnvironmentId });
/** An environment in a path. Checked by the domain: a malformed id is `invalid_environment_path`. */
export const EnvironmentPath = t.Object({ envId: t.String({ documented: EnvironmentId }) });

/** A service, in responses. */
export const Service = t.String({
  enum: [...REPLICAS.keys()],
  title: "Service",
  description: "The simulated service",
});
/** Checked by the domain, so that an unknown one is `invalid_service`. */
export const ServiceName = t.String({ documented: Service });

/** The service of an environment, template or suite, in responses. */
export const Kind = t.String({
  enum: [...REPLICAS.keys(), WORLD],
  title: "EnvironmentKind",
  description: "The simulated service; `world`: several",
});
/** Checked by the domain, as above. */
export const KindName = t.String({ documented: Kind });

export const UserId = t.String({
  minLength: 1,
  maxLength: 255,
  description: "Id of a user of the template",
  examples: ["U01AGENTONE"],
});

export const Envelope = t.Object(
  {
    ok: t.Literal(false),
    error: t.String({
      enum: Object.keys(STATUS),
      title: "ErrorCode",
      description: "The kind of error; codes keep their meaning",
    }),
    detail: t.String({
      description: "What is wrong, in a sentence for people",
      examples: ["There is no such run"],
    }),
  },
  { title: "Error", description: "The response to a rejected request" },
);

export const WrongCellBody = t.Object(
  {
    ...Envelope.properties,
    error: t.Literal("wrong_cell"),
    cell: t.String({ description: "The cell of the id", examples: ["ab"] }),
  },
  { title: "WrongCell", description: "The id belongs to another cell of the deployment" },
);

export const LimitBody = t.Object(
  {
    valid: t.Literal(false),
    reason: t.String({ examples: ["daily environment limit reached"] }),
    limit: Type.Integer({ minimum: 0, description: "The maximum", examples: [200] }),
    current: Type.Integer({ minimum: 0, description: "The current number", examples: [200] }),
  },
  { title: "LimitExceeded", description: "A limit is exceeded" },
);

export const IDEMPOTENCY_KEY = "1 to 255 visible ASCII characters";
export const IDEMPOTENCY_KEY_PATTERN = "^[\\x21-\\x7e]{1,255}$";

/** Checked where it is used, so that the error names the header. */
export const IdempotencyHeader = t.Object({
  "idempotency-key": t.Optional(
    t.String({
      documented: t.String({
        pattern: IDEMPOTENCY_KEY_PATTERN,
        description: `${IDEMPOTENCY_KEY}; a UUID is best, because it cannot be guessed. For 24 hours, repeating the call with the same key has no further effect and gets the same response.`,
        examples: ["0b2f4c9e-6a1d-4f38-9c57-3d1e8a7b6c50"],
      }),
    }),
  ),
});
