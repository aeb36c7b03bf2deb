/** `diorama listen`: posts the events of an environment's app to an address that this machine reaches, as the service would. */
import { CallFailed, type Client, type ServerOptions, UsageError } from "~/commands/client";
import { nearest, quoted } from "~/input/nearest";
import { notice, print } from "~/log";

/** The service's own time for an answer. */
const ANSWER_MS = 3_000;
/** Between two attempts to reach the app, or the server. */
const AGAIN_MS = 1_000;
/** An app rejects a challenge whose signature is older than five minutes. */
const CHALLENGE_MS = 240_000;
const CHALLENGE_ANSWER_MAX = 64 * 1024;
const HEADER_LENGTH_MAX = 200;

export type Listening = ServerOptions & { readonly forwardTo: string; readonly app?: string };

type EventRequest = { readonly headers: Record<string, string>; readonly body: string };
type Message =
  | { readonly type: "challenge"; readonly request: EventRequest; readonly expected: string }
  | { readonly type: "request"; readonly id: string; readonly request: EventRequest }
  | { readonly type: "goodbye"; readonly reason: "refresh" | "too_many" | "disabled" }
  | { readonly type: "hello" };

type App = { readonly app: string; readonly signingSecret: string | null };

/** Forwards until `signal` aborts. Throws CallFailed when the environment or the app is gone. */
export async function listen(
  client: Client,
  id: string,
  { forwardTo, app: wanted }: Listening,
  signal: AbortSignal,
): Promise<void> {
  if (!/^https?:/.test(URL.parse(forwardTo)?.protocol ?? ""))
    throw new UsageError("--forward-to takes an address that begins with http:// or https://");
  const { app, signingSecret } = choose(await appsOf(client, id), wanted);
  notice(`app ${app}: requests are posted to ${forwardTo}`);
  if (signingSecret !== null) notice(`signing secret: ${signingSecret}`);
  const path = `/env/${encodeURIComponent(id)}/listen?app=${encodeURIComponent(app)}`;
  while (!signal.aborted) {
    const reason = await forward(client.socket(path), forwardTo, signal);
    if (signal.aborted) return;
    if (reason === "disabled") throw new CallFailed(`app ${app} or its environment is gone`);
    if (reason === "too_many") throw new CallFailed(`app ${app} has too many connections`);
    await pause(signal);
    // An environment that has ended has no socket any more: this says so.
    await appsOf(client, id).catch((error) => {
      if (!(error instanceof CallFailed && error.isUnavailable)) throw error;
    });
  }
}

const appsOf = async (client: Client, id: string): Promise<readonly App[]> =>
  (await client.call("GET", `/env/${encodeURIComponent(id)}/events`))["apps"] as App[];

function choose(apps: readonly App[], wanted: string | undefined): App {
  const ids = apps.map(({ app }) => app);
  const [only, ...others] = apps;
  if (!only) throw new UsageError("the environment has no apps; PUT /env/{id}/events chooses them");
  if (wanted === undefined && others.length === 0) return only;
  if (wanted === undefined) throw new UsageError(`--app is needed: one of ${ids.join(", ")}`);
  const found = apps.find(({ app }) => app === wanted);
  if (found) return found;
  throw new UsageError(`the environment has no app ${quoted(wanted)}${nearest(wanted, ids)}`);
}

/** Resolves early when `signal` aborts. */
async function pause(signal: AbortSignal): Promise<void> {
  const aborted = Promise.withResolvers<void>();
  signal.addEventListener("abort", () => aborted.resolve(), { once: true });
  if (!signal.aborted) await Promise.race([aborted.promise, Bun.sleep(AGAIN_MS)]);
}

/** Forwards what one connection brings. Returns why the server ended it, if it said so. */
async function forward(
  socket: WebSocket,
  address: string,
  signal: AbortSignal,
): Promise<string | undefined> {
  const closed = Promise.withResolvers<void>();
  const close = () => socket.close();
  const isOpen = () => !signal.aborted && socket.readyState === WebSocket.OPEN;
  let reason: string | undefined;
  socket.addEventListener("close", () => closed.resolve());
  socket.addEventListener("error", () => closed.resolve());
  socket.addEventListener("message", ({ data }) => {
    const message = JSON.parse(String(data)) as Message;
    if (message.type === "goodbye") reason = message.reason;
    if (message.type === "challenge")
      void challenge(address, message, isOpen).then((isMet) => {
        if (isMet) socket.send(JSON.stringify({ type: "ready" }));
        else socket.close();
      });
    if (message.type === "request")
      void post(address, message.request).then((outcome) => {
        report(message.id, outcome);
        if (isOpen()) socket.send(JSON.stringify({ id: message.id, ...outcome.answer }));
      });
  });
  signal.addEventListener("abort", close);
  if (signal.aborted) close();
  await closed.promise;
  signal.removeEventListener("abort", close);
  return reason;
}

/** Asks the app until it answers as it should. False if it did not while the signature is valid, or the connection is open. */
async function challenge(
  address: string,
  { request, expected }: Extract<Message, { type: "challenge" }>,
  isOpen: () => boolean,
): Promise<boolean> {
  const deadline = performance.now() + CHALLENGE_MS;
  let shown = "";
  while (isOpen() && performance.now() < deadline) {
    const { answer, text } = await post(address, request);
    if ("status" in answer && answer.status < 300 && text.includes(expected)) {
      notice("the app has answered the challenge");
      return isOpen();
    }
    const problem = "status" in answer ? `it answers with ${answer.status}` : answer.error;
    if (problem !== shown) notice(`waiting for the app to answer a challenge: ${problem}`);
    shown = problem;
    await Bun.sleep(AGAIN_MS);
  }
  return false;
}

type Outcome = {
  readonly answer:
    | { readonly status: number; readonly headers: Record<string, string> }
    | { readonly error: "timeout" | "connection_failed" };
  readonly text: string;
  readonly ms: number;
};

/** Posts a request. Redirects are not followed. */
async function post(address: string, { headers, body }: EventRequest): Promise<Outcome> {
  const began = performance.now();
  const signal = AbortSignal.timeout(ANSWER_MS);
  const took = () => Math.round(performance.now() - began);
  try {
    const init = { method: "POST", headers, body, redirect: "manual", signal } as const;
    const response = await fetch(address, init);
    const text = await beginningOf(response);
    const own = [...response.headers].filter(
      ([name, value]) => name.startsWith("x-") && value.length <= HEADER_LENGTH_MAX,
    );
    const answer = { status: response.status, headers: Object.fromEntries(own) };
    return { answer, text, ms: took() };
  } catch {
    const error = signal.aborted ? "timeout" : "connection_failed";
    return { answer: { error }, text: "", ms: took() };
  }
}

/** The beginning of an answer's body, whose rest is not read. */
async function beginningOf({ body }: Response): Promise<string> {
  const decoder = new TextDecoder();
  let text = "";
  for await (const chunk of body ?? []) {
    text += decoder.decode(chunk, { stream: true });
    if (text.length > CHALLENGE_ANSWER_MAX) break;
  }
  return text;
}

function report(id: string, { answer, ms }: Outcome): void {
  const [number, attempt] = id.split(".");
  const repeated = attempt === "0" ? "" : `, attempt ${Number(attempt) + 1}`;
  const result = "status" in answer ? answer.status : answer.error.replace("_", " ");
  print(`event ${number}${repeated}: ${result} in ${ms} ms`);
}
