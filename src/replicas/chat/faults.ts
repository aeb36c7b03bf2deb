/** Faults in the words of the Web API. */
import { METHODS } from "~/replicas/chat/api/index";
import { ChatError } from "~/replicas/chat/errors";
import { isMethodVerb, methodName, readCall } from "~/replicas/chat/request";
import { isTransfer } from "~/replicas/chat/transfers";
import type { Problem, Selection } from "~/replicas/faults";
import type { FaultWords, UnleasedCall } from "~/replicas/replica";

export const faults: FaultWords = {
  selector: "method",
  names: () => METHODS.keys(),
  select,
  answer(problem) {
    const { status, error } = codeOf(problem);
    return {
      status,
      headers: {
        "Content-Type": "application/json; charset=utf-8",
        ...(problem.kind === "rate_limited" && { "Retry-After": String(problem.retryAfter) }),
      },
      body: JSON.stringify({ ok: false, error }),
      error,
    };
  },
};

function codeOf(problem: Problem): { readonly status: number; readonly error: string } {
  switch (problem.kind) {
    case "rate_limited":
      return { status: 429, error: "ratelimited" };
    case "server_error":
      return { status: 500, error: "internal_error" };
    case "token_expired":
      return { status: 200, error: "token_expired" };
    default:
      return { status: problem.status, error: "service_unavailable" };
  }
}

/** The last words of methods that write nothing. */
const READING =
  /\.(?:list\w*|get(?!UploadURL)\w*|lookup\w*|\w*[iI]nfo|\w+Logs|history|replies|members|conversations|all|files|messages|identity|test)$/;

export const isReading = (name: string) => READING.test(name);

async function select(call: UnleasedCall): Promise<Selection | undefined> {
  const { request, path, account } = call;
  if (!isMethodVerb(request.method) || isTransfer(path)) return undefined;
  const name = methodName(path);
  account.name = name;
  try {
    account.arguments = (await readCall(call)).raw;
  } catch (error) {
    if (!(error instanceof ChatError)) throw error;
  }
  return { by: "method", names: [name], isReading: isReading(name) };
}
