/** Answers the calls of the service. */
import { requireUser } from "~/replicas/calendar/access";
import { ROUTER } from "~/replicas/calendar/api/index";
import { SCOPES } from "~/replicas/calendar/discovery";
import { CalendarError, INDENT, invalid, notACalendarUser } from "~/replicas/calendar/errors";
import type { CalendarCall, TableName } from "~/replicas/calendar/operation";
import { findUserId } from "~/replicas/calendar/store/users";
import { answerCall, type GoogleApi } from "~/replicas/kit/google/answer";
import { actingAddress } from "~/replicas/kit/google/identity";
import { NOBODY_HERE } from "~/replicas/members";
import type { ReplicaCall } from "~/replicas/replica";
import type { HttpAnswer } from "~/wire/message";

/** The id of the environment's own user, or of the person whose address is the token. */
async function actingUser(call: ReplicaCall<TableName>): Promise<string> {
  let userId: string | undefined;
  const isKnown = async (email: string) => {
    userId = await findUserId(call.session, { email });
    return userId !== undefined;
  };
  const refuse = (message: string) => new CalendarError("authError", message);
  await actingAddress(call, isKnown, refuse);
  return userId ?? call.actor;
}

const API: GoogleApi<TableName, CalendarCall> = {
  router: ROUTER,
  pathOf: (path) => path,
  async contextOf(call) {
    const { session, request, baseUrl } = call;
    const userId = await actingUser(call);
    if (userId === NOBODY_HERE) throw notACalendarUser();
    return { session, userId, ifMatch: request.headers.get("if-match"), baseUrl };
  },
  account: {
    scopes: SCOPES,
    async personOf(call) {
      const { email: address, displayName: name } = await requireUser(call);
      return { address, name };
    },
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
