/** Requests from this server to the addresses of apps: only where the operator allows it, and within bounds. */
import { type Answer, BadAnswer } from "~/http/egress/answer";
import { type Authorities, ConnectFailed, postTo } from "~/http/egress/connection";
import type { Targets, Verdict } from "~/http/egress/targets";

type Request = { readonly headers: Readonly<Record<string, string>>; readonly body: string };

/** The time for the whole exchange, in milliseconds, and the redirects that are followed. With 0, a redirect is the answer. */
type Limits = { readonly acknowledgeMs: number; readonly redirectsMax: number };

/** The outcome of a request. The names of headers are in lower case. */
type Outcome =
  | {
      readonly status: number;
      readonly headers: { readonly [name: string]: string };
      readonly body: string;
    }
  | {
      readonly error:
        | "timeout"
        | "connection_failed"
        | "ssl_error"
        | "too_many_redirects"
        | "bad_answer"
        | "too_large";
    }
  /** Nothing was sent to the last address. */
  | { readonly blocked: string };

export type Egress = ReturnType<typeof createEgress>;

export function createEgress({ targets, ca }: { targets: Targets; ca?: Authorities }) {
  /** Checks an address, for no longer than until `signal` aborts. */
  async function check(at: string, signal: AbortSignal): Promise<Verdict> {
    const late = Promise.withResolvers<never>();
    const aborted = () => late.reject(signal.reason);
    signal.addEventListener("abort", aborted);
    late.promise.catch(() => undefined);
    if (signal.aborted) aborted();
    try {
      return await Promise.race([targets.check(at), late.promise]);
    } catch (error) {
      signal.throwIfAborted();
      throw new ConnectFailed(false, error);
    } finally {
      signal.removeEventListener("abort", aborted);
    }
  }

  async function follow(
    address: string,
    request: Request,
    { redirectsMax }: Limits,
    signal: AbortSignal,
  ): Promise<Outcome> {
    let at = address;
    for (let redirects = 0; redirects <= redirectsMax; redirects++) {
      const verdict = await check(at, signal);
      if ("blocked" in verdict)
        return { blocked: redirects === 0 ? verdict.blocked : `a redirect: ${verdict.blocked}` };
      const answer = await postTo(verdict, new URL(at), request, { signal, ca });
      const next = redirectsMax === 0 ? undefined : redirectOf(answer, at);
      if (next === undefined) {
        const { status, headers, body } = answer;
        return { status, headers: Object.fromEntries(headers), body };
      }
      at = next;
    }
    return { error: "too_many_redirects" };
  }

  return {
    /** Posts a request, and follows redirects with the same one. Never throws; `signal` aborting counts as a timeout. */
    async post(
      address: string,
      request: Request,
      limits: Limits,
      signal?: AbortSignal,
    ): Promise<Outcome> {
      const deadline = AbortSignal.timeout(limits.acknowledgeMs);
      const until = signal ? AbortSignal.any([deadline, signal]) : deadline;
      try {
        return await follow(address, request, limits, until);
      } catch (error) {
        if (until.aborted) return { error: "timeout" };
        if (error instanceof BadAnswer)
          return { error: error.isTooLarge ? "too_large" : "bad_answer" };
        const isTls = error instanceof ConnectFailed && error.isTls;
        return { error: isTls ? "ssl_error" : "connection_failed" };
      }
    },
  };
}

/** The address that an answer redirects to. One that is none leads to a check that it fails. */
function redirectOf({ status, headers }: Answer, at: string): string | undefined {
  const location = headers.get("location");
  if (status < 300 || status > 399 || !location) return undefined;
  return URL.parse(location, at)?.href ?? location;
}
