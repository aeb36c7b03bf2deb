/** Posts requests of a service to an app, within the service's own limits. */

/** The service's own time for an answer, in milliseconds, and the redirects that it follows. With 0, a redirect is the answer. */
export type Limits = { readonly acknowledgeMs: number; readonly redirectsMax: number };

/** Of an answer: a view has up to 250,000 characters. */
const TEXT_LENGTH_MAX = 300 * 1024;
const HEADER_LENGTH_MAX = 200;

export type Request = { readonly headers: Record<string, string>; readonly body: string };

/** As the server takes it. */
type Outcome =
  | { readonly status: number; readonly headers: Record<string, string> }
  | { readonly error: "timeout" | "connection_failed" | "ssl_error" | "too_many_redirects" };

export type Posted = {
  readonly outcome: Outcome;
  /** The beginning of the answer. */
  readonly text: string;
  /** The outcome, for people. */
  readonly detail: string;
  readonly ms: number;
};

/** Never throws. */
export async function post(address: string, request: Request, limits: Limits): Promise<Posted> {
  const began = performance.now();
  const { acknowledgeMs } = limits;
  const signal = AbortSignal.timeout(acknowledgeMs);
  const posted = async (): Promise<Omit<Posted, "ms">> => {
    try {
      return await postOnce(address, request, limits, signal);
    } catch (error) {
      if (signal.aborted) return failed("timeout", `no answer in ${acknowledgeMs / 1000} s`);
      const code = String((error as { code?: unknown }).code ?? error);
      return failed(
        /CERT|TLS|SSL|SIGNATURE|EPROTO/i.test(code) ? "ssl_error" : "connection_failed",
        code,
      );
    }
  };
  const result = await posted();
  return { ...result, ms: Math.round(performance.now() - began) };
}

const failed = (error: Extract<Outcome, { error: string }>["error"], detail: string) => ({
  ...{ outcome: { error }, text: "" },
  detail: `${error.replaceAll("_", " ")} (${detail})`,
});

async function postOnce(
  address: string,
  { headers, body }: Request,
  { redirectsMax }: Limits,
  signal: AbortSignal,
): Promise<Omit<Posted, "ms">> {
  let at = address;
  for (let redirects = 0; redirects <= redirectsMax; redirects++) {
    const response = await fetch(at, { method: "POST", headers, body, redirect: "manual", signal });
    const location = response.headers.get("location");
    const isRedirect = redirectsMax > 0 && response.status >= 300 && response.status <= 399;
    const next = isRedirect && location;
    if (!next) return await readAnswer(response);
    await response.body?.cancel();
    at = new URL(next, at).href;
  }
  return failed("too_many_redirects", `over ${redirectsMax}`);
}

async function readAnswer({ status, headers, body }: Response): Promise<Omit<Posted, "ms">> {
  const decoder = new TextDecoder();
  let text = "";
  for await (const chunk of body ?? []) {
    text += decoder.decode(chunk, { stream: true });
    if (text.length >= TEXT_LENGTH_MAX) break; // the rest is not read
  }
  const own = [...headers].filter(
    ([name, value]) => name.startsWith("x-") && value.length <= HEADER_LENGTH_MAX,
  );
  return {
    outcome: { status, headers: Object.fromEntries(own) },
    text: text.slice(0, TEXT_LENGTH_MAX),
    detail: `${status}`,
  };
}
