/** Rejections, in the words of the Gmail API. */
import { Type } from "@sinclair/typebox";
import { errorAnswer, GoogleError, UnknownPath } from "~/replicas/kit/google/errors";
import type { RouteProblem } from "~/replicas/kit/router";
import type { HttpAnswer } from "~/wire/message";

/** Reasons, and the status that each has. */
const STATUSES = {
  invalidArgument: [400, "INVALID_ARGUMENT"],
  badRequest: [400, "INVALID_ARGUMENT"],
  parseError: [400, "INVALID_ARGUMENT"],
  failedPrecondition: [400, "FAILED_PRECONDITION"],
  authError: [401, "UNAUTHENTICATED"],
  forbidden: [403, "PERMISSION_DENIED"],
  notFound: [404, "NOT_FOUND"],
  aborted: [409, "ABORTED"],
  uploadTooLarge: [413, "INVALID_ARGUMENT"],
  rateLimitExceeded: [429, "RESOURCE_EXHAUSTED"],
  backendError: [500, "INTERNAL"],
  backendUnavailable: [503, "UNAVAILABLE"],
} as const;

export type Reason = keyof typeof STATUSES;

/** Spaces, in every answer. */
export const INDENT = 2;

export class MailError extends GoogleError {
  override readonly name = "MailError";
  readonly reason: Reason;
  readonly details: readonly object[] | undefined;

  constructor(reason: Reason, message: string, details?: readonly object[]) {
    super(message);
    this.reason = reason;
    this.details = details;
  }

  get answer(): HttpAnswer {
    const body = bodyOf(this.reason, this.message, this.details);
    return errorAnswer(body.error.code, body, INDENT);
  }
}

export function bodyOf(reason: Reason, message: string, details?: readonly object[]) {
  const [code, status] = STATUSES[reason];
  return {
    error: {
      ...{ code, message, errors: [{ message, domain: "global", reason }], status },
      ...(details && { details }),
    },
  };
}

export const invalid = (message: string) => new MailError("invalidArgument", message);
/** A value that the database cannot take. */
export const invalidValue = () => invalid("Invalid value");
export const notFound = () => new MailError("notFound", "Requested entity was not found.");
export const tooLarge = () => new MailError("uploadTooLarge", "Request Too Large");
export const delegationDenied = (address: string) =>
  new MailError("forbidden", `Delegation denied for ${address}`);

const PAYLOAD = "Invalid JSON payload received.";

/** The rejection of a call that fits no operation. */
export function refuse(problem: RouteProblem): Error {
  switch (problem.kind) {
    case "path":
    case "verb":
      return new UnknownPath("there is no such path");
    case "type":
      return new MailError(
        "badRequest",
        "Media type is not supported. Valid media types: [message/*]",
      );
    case "body":
      return new MailError("parseError", `${PAYLOAD} ${problem.reason}`);
    default:
      return misfit(problem);
  }
}

function misfit({ place, misfits }: RouteProblem & { readonly kind: "arguments" }): MailError {
  const described = misfits.map(({ path, problem }) => {
    if (!problem.startsWith("there is no such field"))
      return { field: path, description: `Invalid value at '${path || place}': ${problem}` };
    const [, parent = "", name = path] = /^(.*?)\.?([^.]*)$/.exec(path) ?? [];
    const missing =
      place === "query"
        ? `Cannot bind query parameter. Field '${name}' could not be found in request message.`
        : "Cannot find field.";
    const at = parent === "" ? "" : ` at '${parent}'`;
    return { field: parent, description: `${PAYLOAD} Unknown name "${name}"${at}: ${missing}` };
  });
  return new MailError("badRequest", described.map(({ description }) => description).join("\n"), [
    { "@type": "type.googleapis.com/google.rpc.BadRequest", fieldViolations: described },
  ]);
}

const item = Type.Object(
  {
    message: Type.String({ description: "As above", examples: ["Invalid id value"] }),
    domain: Type.String({ description: "Of the reason", examples: ["global"] }),
    reason: Type.String({ description: "For programs", examples: ["invalidArgument"] }),
  },
  { description: "One reason" },
);

export const Problem = Type.Object(
  {
    error: Type.Object(
      {
        code: Type.Integer({ description: "The HTTP status", examples: [400] }),
        message: Type.String({ description: "For people", examples: ["Invalid id value"] }),
        errors: Type.Array(item, { description: "The reasons" }),
        status: Type.String({ description: "The status by name", examples: ["INVALID_ARGUMENT"] }),
        details: Type.Optional(
          Type.Array(Type.Object({}, { additionalProperties: true, description: "A detail" }), {
            description: "Of fields that do not fit",
          }),
        ),
      },
      { description: "The reason for which the call is rejected" },
    ),
  },
  { title: "MailProblem", description: "A rejected call, which has changed nothing" },
);
