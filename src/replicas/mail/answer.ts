/** Answers one call: JSON as the service writes it, or a rejection. */
import { ROUTER } from "~/replicas/mail/api/index";
import { MailError, rejectionOf } from "~/replicas/mail/errors";
import { masked, readMask } from "~/replicas/mail/fields";
import type { MailCall, TableName } from "~/replicas/mail/operation";
import { NOBODY_HERE } from "~/replicas/members";
import type { ReplicaCall } from "~/replicas/replica";
import { type HttpAnswer, httpAnswer, JSON_HEADERS, textOf } from "~/wire/message";

/** In front of the path of a call that carries a message as media. */
const UPLOAD = /^(?:resumable\/)?upload\//;

export const pathOf = (path: string): string => path.replace(UPLOAD, "");

export async function handle(call: ReplicaCall<TableName>): Promise<HttpAnswer> {
  const { account, session, actor } = call;
  try {
    const answer = await answerCall(call, { session, mailbox: actor });
    account.answer = textOf(answer);
    return answer;
  } catch (error) {
    const rejection = rejectionOf(error);
    account.error = rejection.reason;
    const { answer } = rejection;
    account.answer = error instanceof MailError ? textOf(answer) : undefined;
    return answer;
  }
}

async function answerCall(
  { request, body, account, ...call }: ReplicaCall<TableName>,
  context: MailCall,
): Promise<HttpAnswer> {
  if (context.mailbox === NOBODY_HERE)
    throw new MailError("failedPrecondition", "Mail service not enabled");
  const path = pathOf(call.path);
  const { args, result } = await ROUTER.run({ request, path, body, account }, context);
  if (result === undefined) return httpAnswer(204, {});
  const { fields, prettyPrint = true } = args.query as {
    readonly fields?: string;
    readonly prettyPrint?: boolean;
  };
  const value = fields === undefined ? result : masked(result, readMask(fields));
  const text = prettyPrint ? `${JSON.stringify(value, null, 2)}\n` : JSON.stringify(value);
  return httpAnswer(200, JSON_HEADERS, text);
}
