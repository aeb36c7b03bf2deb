/** Answers the calls of the service. */
import { answerCall, type GoogleApi } from "~/replicas/kit/google/answer";
import { ROUTER } from "~/replicas/mail/api/index";
import { INDENT, invalid, MailError } from "~/replicas/mail/errors";
import type { MailCall, TableName } from "~/replicas/mail/operation";
import { NOBODY_HERE } from "~/replicas/members";
import type { ReplicaCall } from "~/replicas/replica";
import type { HttpAnswer } from "~/wire/message";

/** In front of the path of a call that carries a message as media. */
const UPLOAD = /^(?:resumable\/)?upload\//;

const API: GoogleApi<TableName, MailCall> = {
  router: ROUTER,
  pathOf: (path) => path.replace(UPLOAD, ""),
  contextOf({ session, actor }) {
    if (actor === NOBODY_HERE)
      throw new MailError("failedPrecondition", "Mail service not enabled");
    return { session, mailbox: actor };
  },
  indent: INDENT,
  invalid: {
    value: () => invalid("Invalid value"),
    mask: (text) =>
      invalid(`Request contains an invalid argument: Invalid field selection ${text}`),
  },
};

export const { pathOf } = API;

export const handle = (call: ReplicaCall<TableName>): Promise<HttpAnswer> => answerCall(API, call);
