/** The answer to a call of a method, a rejection included. */
import { errorCode, isInvalidInput } from "~/db/connect";
import { RESULT_TOO_LARGE } from "~/db/driver";
import { ChatError, invalidArguments } from "~/replicas/chat/errors";
import type { Answer } from "~/replicas/chat/method";
import type { CallAccount } from "~/replicas/replica";

/** The rejection behind an error. Throws a bug. */
export function requireRejection(error: unknown): ChatError {
  const found = errorCode(error) === RESULT_TOO_LARGE ? limitRequired() : error;
  if (found instanceof ChatError) return found;
  if (isInvalidInput(found))
    return invalidArguments("a value is invalid, or more than one request can process");
  throw error;
}

/** The service's code for a list that is too long for one page. */
const limitRequired = () =>
  new ChatError("limit_required", {
    response_metadata: { messages: ["[ERROR] the result is too large: ask for fewer items"] },
  });

/** Runs a call and returns its answer as JSON. `warnings` may grow while it runs. `account` gets the rejection. */
export async function answerText(
  warnings: readonly string[],
  call: () => Promise<Answer>,
  account?: Pick<CallAccount, "error">,
): Promise<string> {
  let body: Answer;
  try {
    body = { ok: true, ...(await call()) };
  } catch (error) {
    const { code, fields } = requireRejection(error);
    body = { ok: false, error: code, ...fields };
    if (account) account.error = code;
  }
  return JSON.stringify(withWarnings(body, warnings));
}

function withWarnings(body: Answer, warnings: readonly string[]): Answer {
  if (warnings.length === 0) return body;
  const metadata = body["response_metadata"] as object | undefined;
  return { ...body, warning: warnings.join(","), response_metadata: { ...metadata, warnings } };
}
