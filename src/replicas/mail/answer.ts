/** Answers the calls of the service. */
import { answerCall, type GoogleApi } from "~/replicas/kit/google/answer";
import { actingAddress } from "~/replicas/kit/google/identity";
import { ROUTER } from "~/replicas/mail/api/index";
import { callOf, requireMailbox } from "~/replicas/mail/calls";
import { SCOPES } from "~/replicas/mail/discovery";
import { INDENT, invalid, invalidValue, MailError } from "~/replicas/mail/errors";
import type { MailCall, TableName } from "~/replicas/mail/operation";
import { findUserId } from "~/replicas/mail/store/mailboxes";
import type { ReplicaCall } from "~/replicas/replica";
import type { HttpAnswer } from "~/wire/message";

/** In front of the path of a call that carries a message as media. */
const UPLOAD = /^upload\//;

async function callOfToken(call: ReplicaCall<TableName>): Promise<MailCall> {
  const { session } = call;
  const isKnown = async (id: string) => (await findUserId(session, { id })) !== undefined;
  const refuse = (message: string) => new MailError("authError", message);
  return callOf({ ...call, actor: await actingAddress(call, isKnown, refuse) });
}

const API: GoogleApi<TableName, MailCall> = {
  router: ROUTER,
  pathOf: (path) => path.replace(UPLOAD, ""),
  contextOf: callOfToken,
  account: {
    scopes: SCOPES,
    async personOf(call) {
      const { emailAddress: address, name } = await requireMailbox(call);
      return { address, name };
    },
  },
  indent: INDENT,
  invalid: {
    value: invalidValue,
    mask: (text) =>
      invalid(`Request contains an invalid argument: Invalid field selection ${text}`),
  },
};

export const { pathOf } = API;

export const handle = (call: ReplicaCall<TableName>): Promise<HttpAnswer> => answerCall(API, call);
