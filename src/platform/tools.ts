/** An environment as tools over MCP: `…/services/{service}/mcp`, `…/mcp/{profile}`, and `?access=read`. */
import type { LogMark } from "~/db/driver";
import type { Session } from "~/db/session";
import { ApiError, NotAuthed } from "~/errors";
import { readBody } from "~/http/body";
import { answerMcp } from "~/http/mcp/endpoint";
import { type Access, DEFAULT_PROFILE, findSurface } from "~/http/mcp/profile";
import type { Due, Injection } from "~/platform/faults/injection";
import type { PastState } from "~/platform/faults/store";
import type { JournaledCall } from "~/platform/journal/journal";
import { findTool, listingOf, serverInfoOf, type ToolSet } from "~/platform/tool-sets";
import type { Caller } from "~/replicas/caller";
import type { Problem, Selection } from "~/replicas/faults";
import type { CallAccount } from "~/replicas/replica";
import type { ToolProfile, ToolResult } from "~/replicas/tools";
import type { IncomingRequest } from "~/wire/incoming";
import { SERVICE_BODY_MAX } from "~/wire/limits";
import { type HttpAnswer, httpAnswer } from "~/wire/message";

export type ToolPath = { readonly profile: string };

const PATH = /^mcp(?:\/(?:v\d+$)?([^/]*))?$/;

/** Some vendors have a version in the address of their own server: `mcp/v1`. Undefined for a path that does not lead to tools. */
export function readToolPath(path: string): ToolPath | undefined {
  const found = PATH.exec(path);
  return found ? { profile: found[1] || DEFAULT_PROFILE } : undefined;
}

/** Adds the challenge that clients of the protocol expect with a 401 (RFC 6750, 3). */
export async function challenged<T>(opening: Promise<T>): Promise<T> {
  try {
    return await opening;
  } catch (error) {
    if (!(error instanceof NotAuthed)) throw error;
    const { reason } = error;
    throw new NotAuthed(reason, {
      "WWW-Authenticate": reason === "missing" ? "Bearer" : 'Bearer error="invalid_token"',
    });
  }
}

function readAccess({ searchParams }: URL): Access {
  const given = searchParams.get("access") ?? "all";
  if (given === "all" || given === "read") return given;
  throw new ApiError("invalid_request", "access: one of all, read is needed");
}

type Means = {
  /** The caller in one of the services. */
  readonly callerIn: (service: string) => Promise<Omit<Caller, "session">>;
  readonly actorOf: (service: string) => string;
  /** Begins the journal's line of one call. `trace`: its `traceparent`, unless a header has one. */
  readonly note: (service: string | undefined, trace?: string) => JournaledCall;
  /** Runs one call on a service's tables. */
  readonly use: <T>(
    service: string,
    work: (session: Session) => Promise<T>,
    mark: LogMark,
    state?: PastState,
  ) => Promise<T>;
  readonly injection: Injection;
  /** The fault that a call of this tool gets. */
  readonly dueFault: (
    service: string,
    selection: Selection,
  ) => Promise<Due | undefined> | undefined;
};

/** Ends a request without a message of the protocol: as a proxy in front of the server does. */
class Unanswered extends Error {
  override readonly name = "Unanswered";
  readonly status: 503 | 504;
  constructor(status: 503 | 504) {
    super(status === 503 ? "Service Unavailable" : "Gateway Timeout");
    this.status = status;
  }
}

const PLAIN = { "Content-Type": "text/plain;charset=utf-8" };

/** A token of the service that opens nothing, or has expired. */
export const wrongToken = () =>
  new NotAuthed("invalid", { "WWW-Authenticate": 'Bearer error="invalid_token"' });

/** The result of a call that is not performed, or whose answer is lost. Throws if the whole request is answered so. */
function failed({ fail }: ToolProfile, problem: Problem): ToolResult {
  if (problem.kind === "unavailable") throw new Unanswered(problem.status);
  const result = fail(problem);
  if (!result) throw wrongToken();
  return result;
}

const UNKNOWN_TOOL = "unknown tool";

export async function answerTools(
  request: IncomingRequest,
  set: ToolSet,
  { callerIn, actorOf, note, use, injection, dueFault }: Means,
): Promise<HttpAnswer> {
  const access = readAccess(request.url);
  const body = await readBody(request, SERVICE_BODY_MAX);

  /** Makes a call that is served, with its fault if one is due. */
  async function callTool(
    { service, profile, own }: NonNullable<ReturnType<typeof findTool>>,
    name: string,
    account: CallAccount,
    work: (state?: PastState) => Promise<ToolResult | undefined>,
  ): Promise<ToolResult | undefined> {
    const tool = profile.tools.find((each) => each.name === name);
    if (tool && !findSurface(profile, access).names.has(name)) return undefined;
    const isReading = tool !== undefined && profile.isReading(tool);
    const due = await dueFault(service, { by: "tool", names: [own], isReading });
    if (!due) return await work();
    return await injection.inject(account, due, work, (problem) => failed(profile, problem));
  }

  async function call(
    name: string,
    args: Readonly<Record<string, unknown>> | undefined,
    trace: string | undefined,
  ) {
    const tool = findTool(set, name);
    const { account, mark, end, fail } = note(tool?.service, trace);
    Object.assign(account, { via: "mcp", name: tool?.own ?? name, arguments: args ?? {} });
    /** Makes the call, in an earlier state of the tables if one is given. */
    const make = async (state?: PastState) => {
      if (!tool) return undefined;
      const caller = await callerIn(tool.service);
      account.user = caller.actor;
      const work = (session: Session) =>
        tool.profile.call({ ...caller, session, name: tool.own, arguments: args });
      return await use(tool.service, work, mark, state);
    };
    try {
      const result = tool && (await callTool(tool, name, account, make));
      if (!result) account.error = UNKNOWN_TOOL;
      else if (result.isError) account.error = result.text;
      account.answer = JSON.stringify(result?.text ?? null);
      await end(200);
      return result;
    } catch (error) {
      if (error instanceof Unanswered) {
        account.error = error.message;
        account.answer = undefined;
        await end(error.status);
      } else await fail(error);
      throw error;
    }
  }

  try {
    return await answerMcp(request, body, {
      serverInfo: serverInfoOf(set),
      listing: () => listingOf(set, access, actorOf),
      call,
    });
  } catch (error) {
    if (!(error instanceof Unanswered)) throw error;
    return httpAnswer(error.status, PLAIN, error.message);
  }
}
