/** An environment as tools over MCP: `…/services/{service}/mcp`, `…/mcp/{profile}`, and `?access=read`. */
import type { LogMark, Session } from "~/db/session";
import { ApiError, NotAuthed } from "~/errors";
import { readBody, SERVICE_BODY_MAX } from "~/http/body";
import { answerMcp } from "~/http/mcp/endpoint";
import { type Access, DEFAULT_PROFILE, findSurface, listingFor } from "~/http/mcp/profile";
import type { JournaledCall } from "~/platform/journal/journal";
import type { Caller } from "~/replicas/caller";
import type { Replica } from "~/replicas/replica";
import type { ToolProfile } from "~/replicas/tools";

export type ToolPath = { readonly profile: string };

const PATH = /^mcp(?:\/([^/]*))?$/;

/** Undefined for a path that does not lead to tools. */
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

function requireProfile({ service, toolProfiles }: Replica, name: string): ToolProfile {
  const profile = toolProfiles && Object.hasOwn(toolProfiles, name) && toolProfiles[name];
  if (profile) return profile;
  const known = Object.keys(toolProfiles ?? {}).join(", ");
  throw new ApiError("not_found", `${service} has no tool profile of this name; known: ${known}`);
}

function readAccess({ searchParams }: URL): Access {
  const given = searchParams.get("access") ?? "all";
  if (given === "all" || given === "read") return given;
  throw new ApiError("invalid_request", "access: one of all, read is needed");
}

type Identity = Omit<Caller, "session"> & {
  /** Begins the journal's line of one call. */
  readonly note: () => JournaledCall;
  /** Runs one call on the environment's tables. */
  readonly use: <T>(work: (session: Session) => Promise<T>, mark: LogMark) => Promise<T>;
};

const UNKNOWN_TOOL = "unknown tool";

export async function answerTools(
  request: Request,
  url: URL,
  replica: Replica,
  path: ToolPath,
  { note, use, ...caller }: Identity,
): Promise<Response> {
  const profile = requireProfile(replica, path.profile);
  const surface = findSurface(profile, readAccess(url));
  const body = await readBody(request, SERVICE_BODY_MAX);
  const isServed = (name: string) =>
    surface.names.has(name) || !profile.tools.some((tool) => tool.name === name);

  async function call(name: string, args: Readonly<Record<string, unknown>> | undefined) {
    const { account, mark, end, fail } = note();
    Object.assign(account, { via: "mcp", name, arguments: args ?? {} });
    try {
      const perform = (session: Session) =>
        profile.call({ ...caller, session, name, arguments: args });
      const result = isServed(name) ? await use(perform, mark) : undefined;
      if (!result) account.error = UNKNOWN_TOOL;
      else if (result.isError) account.error = result.text;
      account.answer = JSON.stringify(result?.text ?? null);
      end(200, body.byteLength);
      return result;
    } catch (error) {
      fail(error);
      throw error;
    }
  }

  return await answerMcp(request, body, {
    serverInfo: profile.serverInfo,
    listing: () => listingFor(surface, caller.actor),
    call,
  });
}
