/** Rejections, in the words of the Google Calendar API. */
import { Type } from "@sinclair/typebox";
import { errorAnswer, GoogleError, UnknownPath } from "~/replicas/kit/google/errors";
import type { RouteProblem } from "~/replicas/kit/router";
import type { HttpAnswer } from "~/wire/message";

const GLOBAL = "global";
const OWN = "calendar";
const LIMITS = "usageLimits";

/** Reasons, with the status and the domain that each has. */
const REASONS = {
  badRequest: [400, GLOBAL],
  cannotChangeOrganizerOfInstance: [400, OWN],
  channelIdNotUnique: [400, GLOBAL],
  cannotUseDefaultRemindersAndSpecifyOverride: [400, OWN],
  eventTypeRestriction: [400, OWN],
  illegalAccessRoleForDefault: [400, OWN],
  invalid: [400, GLOBAL],
  invalidParameter: [400, GLOBAL],
  invalidScopeValue: [400, OWN],
  malformedFocusTimeEvent: [400, OWN],
  malformedOutOfOfficeEvent: [400, OWN],
  malformedWorkingLocationEvent: [400, OWN],
  parseError: [400, GLOBAL],
  participantIsNeitherOrganizerNorAttendee: [400, OWN],
  "push.channelTypeNotSupported": [400, GLOBAL],
  "push.webhookUrlNotHttps": [400, GLOBAL],
  required: [400, GLOBAL],
  timeRangeEmpty: [400, OWN],
  timeRangeTooLong: [400, OWN],
  authError: [401, GLOBAL],
  cannotChangeOrganizer: [403, OWN],
  cannotChangeOwnAcl: [403, OWN],
  cannotChangeOwnPrimarySubscription: [403, OWN],
  cannotChangeOwnerAcl: [403, OWN],
  cannotDeletePrimaryCalendar: [403, OWN],
  cannotUnsubscribeFromOwnedCalendar: [403, OWN],
  forbidden: [403, GLOBAL],
  forbiddenForNonOrganizer: [403, OWN],
  forbiddenForServiceAccounts: [403, OWN],
  notACalendarUser: [403, OWN],
  requiredAccessLevel: [403, OWN],
  notFound: [404, GLOBAL],
  duplicate: [409, GLOBAL],
  deleted: [410, GLOBAL],
  fullSyncRequired: [410, OWN],
  updatedMinTooLongAgo: [410, OWN],
  conditionNotMet: [412, GLOBAL],
  quotaExceeded: [403, LIMITS],
  userRateLimitExceeded: [403, LIMITS],
  rateLimitExceeded: [429, LIMITS],
  backendError: [500, GLOBAL],
  backendUnavailable: [503, GLOBAL],
} as const;

export type Reason = keyof typeof REASONS;

/** Spaces, in every answer. */
export const INDENT = 1;

/** The part of the call that is wrong: `["parameter", "timeMax"]`. */
type Location = readonly [type: "parameter" | "header", name: string];

export class CalendarError extends GoogleError {
  override readonly name = "CalendarError";
  readonly reason: Reason;
  readonly location: Location | undefined;

  constructor(reason: Reason, message: string, location?: Location) {
    super(message);
    this.reason = reason;
    this.location = location;
  }

  get answer(): HttpAnswer {
    const body = bodyOf(this.reason, this.message, this.location);
    return errorAnswer(body.error.code, body, INDENT);
  }
}

export function bodyOf(reason: Reason, message: string, location?: Location) {
  const [code, domain] = REASONS[reason];
  const [locationType, name] = location ?? [];
  const item = {
    ...{ domain, reason, message },
    ...(location && { locationType, location: name }),
  };
  return { error: { errors: [item], code, message } };
}

export const invalid = (message: string) => new CalendarError("invalid", message);
export const required = (message = "Required") => new CalendarError("required", message);
export const notFound = () => new CalendarError("notFound", "Not Found");
export const forbidden = () => new CalendarError("forbidden", "Forbidden");
export const quotaExceeded = () =>
  new CalendarError("quotaExceeded", "Calendar usage limits exceeded.");
export const notACalendarUser = () =>
  new CalendarError("notACalendarUser", "The user must be signed up for Google Calendar.");
export const badRequest = () => new CalendarError("badRequest", "Bad Request");
export const wrongParameter = (name: string, message: string) =>
  new CalendarError("invalidParameter", message, ["parameter", name]);

/** The rejection of a call that fits no operation. */
export function refuse(problem: RouteProblem): Error {
  switch (problem.kind) {
    case "path":
    case "verb":
      return new UnknownPath("there is no such path");
    case "type":
    case "body":
      return new CalendarError("parseError", "Parse Error");
    default:
      return misfit(problem);
  }
}

const SHOWN_MAX = 200;

function misfit(problem: RouteProblem & { readonly kind: "arguments" }): CalendarError {
  const [{ path, problem: reason }] = problem.misfits;
  if (problem.place === "body") return invalid(`Invalid value for: ${path}: ${reason}`);
  const value = String(problem.given[path.replace(/\[.*/s, "")]).slice(0, SHOWN_MAX);
  const [, pattern] = /'\^(\(.*\))\$'$/.exec(reason) ?? [];
  return wrongParameter(
    path,
    pattern === undefined
      ? `Invalid value '${value}': ${reason}`
      : `Invalid value '${value}'. Values must match the following regular expression: '${pattern}'`,
  );
}

const item = Type.Object(
  {
    domain: Type.String({ description: "Of the reason", examples: ["global"] }),
    reason: Type.String({ description: "For programs", examples: ["notFound"] }),
    message: Type.String({ description: "For people", examples: ["Not Found"] }),
    locationType: Type.Optional(
      Type.String({ description: "`parameter` or `header`", examples: ["parameter"] }),
    ),
    location: Type.Optional(
      Type.String({ description: "The wrong part of the call", examples: ["timeMax"] }),
    ),
  },
  { description: "One reason" },
);

export const Problem = Type.Object(
  {
    error: Type.Object(
      {
        errors: Type.Array(item, { description: "The reasons" }),
        code: Type.Integer({ description: "The HTTP status", examples: [404] }),
        message: Type.String({ description: "As above", examples: ["Not Found"] }),
      },
      { description: "The reason for which the call is rejected" },
    ),
  },
  { title: "CalendarProblem", description: "A rejected call, which has changed nothing" },
);
