/** Answers the calls of the service. */
import { ROUTER } from "~/replicas/calendar/api/index";
import { CalendarError, INDENT, invalid } from "~/replicas/calendar/errors";
import type { CalendarCall, TableName } from "~/replicas/calendar/operation";
import { answerCall, type GoogleApi } from "~/replicas/kit/google/answer";
import { NOBODY_HERE } from "~/replicas/members";
import type { ReplicaCall } from "~/replicas/replica";
import type { HttpAnswer } from "~/wire/message";

const API: GoogleApi<TableName, CalendarCall> = {
  router: ROUTER,
  pathOf: (path) => path,
  contextOf({ session, actor, request, baseUrl }) {
    if (actor === NOBODY_HERE)
      throw new CalendarError(
        "notACalendarUser",
        "The user must be signed up for Google Calendar.",
      );
    return { session, userId: actor, ifMatch: request.headers.get("if-match"), baseUrl };
  },
  indent: INDENT,
  invalid: {
    value: () => invalid("Invalid Value"),
    mask: (text) =>
      new CalendarError("invalidParameter", `Invalid field selection ${text}`, [
        "parameter",
        "fields",
      ]),
  },
};

export const handle = (call: ReplicaCall<TableName>): Promise<HttpAnswer> => answerCall(API, call);
