/** Faults in the words of the Web API. */
import { METHODS } from "~/replicas/chat/api/index";
import { ChatError } from "~/replicas/chat/errors";
import { isMethodVerb, methodName, readCall } from "~/replicas/chat/request";
import { isTransfer } from "~/replicas/chat/transfers";
import type { Selection } from "~/replicas/faults";
import { faultAnswers } from "~/replicas/kit/fault-answers";
import type { FaultWords, UnleasedCall } from "~/replicas/replica";

const CODES = {
  rate_limited: [429, "ratelimited"],
  server_error: [500, "internal_error"],
  token_expired: [200, "token_expired"],
  unavailable: [503, "service_unavailable"],
} as const;

export const faults: FaultWords = {
  selector: "method",
  names: () => METHODS.keys(),
  select,
  answer: faultAnswers((problem) => {
    const [status, error] = CODES[problem.kind];
    return {
      status: problem.kind === "unavailable" ? problem.status : status,
      ...{ error, body: { ok: false, error } },
    };
  }),
};

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
