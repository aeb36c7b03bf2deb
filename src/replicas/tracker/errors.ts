/** Errors in the service's wording, and every error in the shape that its official client reads. */
import { GraphQLError, type GraphQLFormattedError } from "graphql";
import { errorCode, isInvalidInput } from "~/db/connect";
import { RESULT_TOO_LARGE } from "~/db/driver";
import { DocumentRefused, InvalidArgument, TooExpensive } from "~/graphql/errors";

type Kind = { readonly code: string; readonly status: number };

/** By `extensions.type`: the official client selects its error class by this text. */
export const KINDS = {
  "invalid input": { code: "INPUT_ERROR", status: 200 },
  "user error": { code: "USER_ERROR", status: 200 },
  "authentication error": { code: "AUTHENTICATION_ERROR", status: 401 },
  forbidden: { code: "FORBIDDEN", status: 200 },
  "feature not accessible": { code: "FEATURE_NOT_ACCESSIBLE", status: 200 },
  "graphql error": { code: "GRAPHQL_VALIDATION_FAILED", status: 400 },
  "lock timeout": { code: "LOCK_TIMEOUT", status: 200 },
  ratelimited: { code: "RATELIMITED", status: 400 },
  "internal error": { code: "INTERNAL_SERVER_ERROR", status: 500 },
} as const satisfies Record<string, Kind>;

type ErrorType = keyof typeof KINDS;

/** `extensions.statusCode`, unless it is 400. The status of the response can be another one. */
const STATUS_CODES: { readonly [type in ErrorType]?: number } = {
  "authentication error": 401,
  forbidden: 403,
  ratelimited: 429,
  "internal error": 500,
};

export type ValidationError = {
  readonly property: string;
  readonly value: unknown;
  readonly constraints: Readonly<Record<string, string>>;
  readonly children: readonly ValidationError[];
};

export class TrackerError extends Error {
  override readonly name = "TrackerError";
  readonly type: ErrorType;
  /** `userPresentableMessage` is what a client shows; programs match on `message`. */
  readonly presentable: string;
  readonly validationErrors: readonly ValidationError[] | undefined;

  constructor(
    type: ErrorType,
    message: string,
    presentable = message,
    validationErrors?: readonly ValidationError[],
  ) {
    super(message);
    this.type = type;
    this.presentable = presentable;
    this.validationErrors = validationErrors;
  }
}

const sentence = (text: string) => (text.endsWith(".") ? text : `${text}.`);

/** An invalid argument. `constraint` names the broken rule: `isUuid`. */
export const invalidArgument = (
  property: string,
  value: unknown,
  constraint: string,
  problem: string,
) =>
  new TrackerError("invalid input", "Argument Validation Error", sentence(problem), [
    { property, value: shown(value), constraints: { [constraint]: problem }, children: [] },
  ]);

const SHOWN_MAX = 64;
const shown = (value: unknown) =>
  typeof value === "string" && value.length > SHOWN_MAX ? `${value.slice(0, SHOWN_MAX)}…` : value;

/** A rule of the service that the input breaks. */
export const invalidInput = (problem: string) =>
  new TrackerError("invalid input", sentence(problem));
export const notFound = (entity: string) =>
  new TrackerError(
    "invalid input",
    `Entity not found: ${entity}`,
    `Could not find referenced ${entity}.`,
  );
/** A field of an input that refers to something missing, or hidden from this user. */
export const notFoundIn = (field: string) =>
  new TrackerError(
    "invalid input",
    `Entity not found in validateAccess: ${field}`,
    `${field} contained an entry that could not be found.`,
  );
/** A label of another team than the issue's. */
export const labelOfOtherTeam = (field: string, name: string) =>
  new TrackerError(
    "invalid input",
    `${field[0]?.toUpperCase()}${field.slice(1)} for incorrect team`,
    `The label '${name}' is not associated with the same team as the issue.`,
  );
export const duplicateLabel = (name: string) =>
  new TrackerError(
    "invalid input",
    "duplicate label name",
    `There is already a label named "${name}".`,
  );
/** An id, chosen by the client, that is taken. */
export const insertConflict = (entity: string, id: unknown) =>
  new TrackerError(
    "invalid input",
    `conflict on insert of ${entity}`,
    `Entity ${entity} with id ${id} already exists.`,
  );
export const userError = (problem: string) => new TrackerError("user error", sentence(problem));
export const forbidden = (problem: string) =>
  new TrackerError("forbidden", "not allowed to take action", sentence(problem));
/** A state, cycle or project that issues of this team cannot have. */
export const discrepancy = () =>
  invalidInput("Discrepancy between issue team and state, cycle or project");
export const notAuthenticated = (reason: string) =>
  new TrackerError("authentication error", "Authentication required, not authenticated", reason);
export const notAccessible = (feature: string) =>
  new TrackerError(
    "feature not accessible",
    `Feature not accessible: ${feature}`,
    `${feature} is not part of this environment.`,
  );
/** A feature of the service that is not available here, or switched off. */
export const notEnabled = (problem: string) =>
  new TrackerError("feature not accessible", sentence(problem));

/** Violated rules of the tables, by SQLSTATE. */
const BROKEN: Readonly<Record<string, string>> = {
  "22001": "A value is too long",
  "22003": "A number is out of range",
  "22007": "A date does not fit its field",
  "22008": "A date is out of range",
  "22P02": "A value does not fit its field",
  "23502": "A required value is null",
  "23505": "This already exists",
};

/** Serialization failure, deadlock, lock not available. */
const HELD_UP = new Set(["40001", "40P01", "55P03"]);

/** A message can quote the document. */
const MESSAGE_MAX = 2_000;

/** An error as the client sees it; undefined for a bug. */
export function formatError(error: GraphQLError): GraphQLFormattedError | undefined {
  const { originalError: cause } = error;
  if (cause instanceof TrackerError) return formatted(error, cause);
  if (cause instanceof InvalidArgument)
    return formatted(
      error,
      invalidArgument(cause.property, cause.value, cause.constraint, cause.message),
    );
  const broken = BROKEN[errorCode(cause) ?? ""];
  if (broken !== undefined) return formatted(error, invalidInput(broken));
  if (isInvalidInput(cause))
    return formatted(error, invalidInput("A value is more than one request can process"));
  if (HELD_UP.has(errorCode(cause) ?? ""))
    return formatted(error, new TrackerError("lock timeout", "Another change blocked this one."));
  if (errorCode(cause) === RESULT_TOO_LARGE)
    return formatted(
      error,
      new TrackerError("graphql error", "The query reads too much: request smaller pages."),
    );
  if (cause instanceof TooExpensive) return tooComplex(cause.message);
  if (cause === undefined || cause instanceof GraphQLError || cause instanceof DocumentRefused)
    return formatted(error, new TrackerError("graphql error", error.message.slice(0, MESSAGE_MAX)));
  return undefined;
}

const formatted = (
  { locations, path }: GraphQLError,
  refusal: TrackerError,
): GraphQLFormattedError => {
  const { message, extensions } = shapeOf(refusal);
  return { message, ...(locations && { locations }), ...(path && { path }), extensions };
};

/**
 * A rejection of the whole request, without a place in a document. The shapes are those of recorded responses of the
 * service.
 */
export function shapeOf(refusal: TrackerError) {
  const { message, type, presentable, validationErrors } = refusal;
  const { status } = KINDS[type];
  const code = codeOf(refusal);
  const http = { status, headers: {} };
  if (type === "graphql error")
    return { message, extensions: { http, code, type, userError: true } };
  return {
    message,
    extensions: {
      type,
      code,
      statusCode: STATUS_CODES[type] ?? 400,
      userError: true,
      userPresentableMessage: presentable,
      ...(type === "authentication error" && { meta: {}, http }),
      ...(validationErrors && { validationErrors }),
    },
  };
}

/** Unlike other documents beyond a limit, an expensive one is an invalid input, though with the status of a request error. */
const tooComplex = (message: string): GraphQLFormattedError => ({
  message,
  extensions: {
    ...shapeOf(new TrackerError("invalid input", message, message.replace("Query", "The query is")))
      .extensions,
    http: { status: KINDS["graphql error"].status },
  },
});

/** Clients use the code to distinguish three ways in which a document fails. */
function codeOf({ type, message, validationErrors }: TrackerError): string {
  if (validationErrors) return "INVALID_INPUT";
  if (message.startsWith("Syntax Error")) return "GRAPHQL_PARSE_FAILED";
  return COERCION.test(message) ? "BAD_USER_INPUT" : KINDS[type].code;
}

/** The beginning of graphql-js messages about the value of a variable; those about its declaration begin alike. */
const COERCION = /^Variable "\$[^"]*" (got invalid value|of (required|non-null) type)/;

/** The HTTP status of a response with these errors. */
export const statusOf = ([first]: readonly GraphQLFormattedError[]): number =>
  (first?.extensions?.["http"] as { status: number } | undefined)?.status ?? 200;
