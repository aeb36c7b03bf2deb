/** Answers the calls of the service. */
import { answerCall, type GoogleApi } from "~/replicas/kit/google/answer";
import { ROUTER } from "~/replicas/mail/api/index";
import { callOf } from "~/replicas/mail/calls";
import { INDENT, invalid, invalidValue } from "~/replicas/mail/errors";
import type { MailCall, TableName } from "~/replicas/mail/operation";
import type { ReplicaCall } from "~/replicas/replica";
import type { HttpAnswer } from "~/wire/message";

/** In front of the path of a call that carries a message as media. */
const UPLOAD = /^(?:resumable\/)?upload\//;

const API: GoogleApi<TableName, MailCall> = {
  router: ROUTER,
  pathOf: (path) => path.replace(UPLOAD, ""),
  contextOf: callOf,
  indent: INDENT,
  invalid: {
    value: invalidValue,
    mask: (text) =>
      invalid(`Request contains an invalid argument: Invalid field selection ${text}`),
  },
};

export const { pathOf } = API;

export const handle = (call: ReplicaCall<TableName>): Promise<HttpAnswer> => answerCall(API, call);
