/** `diorama listen`: posts the events of an environment's app to an address that this machine reaches, as the service would. */
import { CallFailed, type Client, pause, type ServerOptions, UsageError } from "~/commands/client";
import { type Limits, type Posted, post, type Request } from "~/commands/posting";
import { nearest, quoted } from "~/input/nearest";
import { notice, print } from "~/log";

/** Between two attempts to reach the app, or the server. */
const AGAIN_MS = 1_000;
/** A server that sends neither a message nor a ping for this long is gone. */
const SILENT_MS = 35_000;
/** A server that answers closes a connection in this time. */
const CLOSING_MS = 1_000;
/** Connections in a row that a server refuses although it answers. */
const REFUSED_MAX = 5;
const CLOSED_BY_LIMIT = 1013;

export type Listening = ServerOptions & { readonly forwardTo: string; readonly app?: string };

type Message =
  | { readonly type: "challenge"; readonly request: Request; readonly expected: string }
  | { readonly type: "request"; readonly id: string; readonly request: Request }
  | { readonly type: "goodbye"; readonly reason: "refresh" | "too_many" | "disabled" }
  | ({ readonly type: "hello" } & Limits);

/** Until the server reports those of the service. */
const LIMITS: Limits = { acknowledgeMs: 3_000, redirectsMax: 2 };

type App = { readonly app: string; readonly signingSecret: string | null };
type Apps = { readonly apps: readonly App[]; readonly webhooks: readonly App[] };

/** Forwards until `signal` aborts. Throws CallFailed when the environment or the app is gone, and UsageError. */
export async function listen(
  client: Client,
  id: string,
  { forwardTo, app: wanted }: Listening,
  signal: AbortSignal,
): Promise<void> {
  if (!/^https?:/.test(URL.parse(forwardTo)?.protocol ?? ""))
    throw new UsageError("--forward-to takes an address that begins with http:// or https://");
  const path = `/env/${encodeURIComponent(id)}`;
  const appsNow = async () =>
    (await client.call("GET", `${path}/events`, undefined, { signal })) as unknown as Apps;
  const { app, signingSecret } = choose(await appsNow(), wanted);
  notice(`app ${app}: requests are posted to ${forwardTo}`);
  if (signingSecret !== null) notice(`signing secret: ${signingSecret}`);

  const query = `app=${encodeURIComponent(app)}`;
  let refused = 0;
  while (!signal.aborted) {
    const end = await forward(client.socket(`${path}/listen?${query}`), forwardTo, signal);
    if (signal.aborted) return;
    if (end.reason === "disabled") throw new CallFailed(`app ${app} or its environment is gone`);
    if (end.reason === "too_many") throw new CallFailed(`app ${app} has too many connections`);
    notice(`${end.problem}; trying again`);
    await pause(AGAIN_MS, signal);
    const isThere = await appsNow().then(
      ({ apps, webhooks }) => [...apps, ...webhooks].some((each) => each.app === app),
      (error) => {
        if (error instanceof CallFailed && (error.isUnavailable || signal.aborted))
          return undefined;
        throw error;
      },
    );
    if (isThere === false) throw new CallFailed(`the environment has no app ${app} any more`);
    refused = isThere && !end.wasOpen ? refused + 1 : 0;
    if (refused >= REFUSED_MAX)
      throw new CallFailed(
        `${client.url} answers, but refuses WebSockets; is there a proxy in front of it?`,
      );
  }
}

/** Without a wish, the only app, or else the only webhook. */
function choose({ apps, webhooks }: Apps, wanted: string | undefined): App {
  const all = [...apps, ...webhooks];
  const ids = all.map(({ app }) => app);
  const [only, ...others] = apps.length > 0 ? apps : webhooks;
  if (!only) throw new UsageError("the environment has no apps; PUT /env/{id}/events chooses them");
  if (wanted === undefined && others.length === 0) return only;
  if (wanted === undefined) throw new UsageError(`--app is needed: one of ${ids.join(", ")}`);
  const found = all.find(({ app }) => app === wanted);
  if (found) return found;
  throw new UsageError(`the environment has no app ${quoted(wanted)}${nearest(wanted, ids)}`);
}

type End = {
  /** Why the server ended the connection, if it said so. */
  readonly reason?: Extract<Message, { type: "goodbye" }>["reason"] | undefined;
  readonly problem: string;
  readonly wasOpen: boolean;
};

/** Forwards what one connection brings: one request after the other. */
async function forward(socket: WebSocket, address: string, signal: AbortSignal): Promise<End> {
  const ended = Promise.withResolvers<void>();
  const closed = Promise.withResolvers<void>();
  let reason: End["reason"];
  let problem = "no connection";
  let wasOpen = false;
  let limits = LIMITS;
  let work: Promise<void> = Promise.resolve();
  let watch: NodeJS.Timeout | undefined;
  let isOver = false;
  const isOpen = () => !isOver && socket.readyState === WebSocket.OPEN;

  /** Restarts the time after which the server counts as gone. */
  function heard(): void {
    clearTimeout(watch);
    watch = setTimeout(() => {
      problem = "the server is silent";
      ended.resolve();
    }, SILENT_MS);
  }
  async function take(message: Message): Promise<void> {
    if (message.type === "challenge") {
      if (await meets(address, message, isOpen)) socket.send(JSON.stringify({ type: "ready" }));
    } else if (message.type === "request" && isOpen()) {
      const posted = await post(address, message.request, limits);
      print(lineOf(message.id, posted));
      const { outcome, text: body } = posted;
      socket.send(JSON.stringify({ id: message.id, ...outcome, ...(body && { body }) })); // also at the end
    }
  }

  socket.addEventListener("open", () => {
    wasOpen = true;
    problem = "the connection is lost";
    heard();
  });
  socket.addEventListener("ping", heard);
  socket.addEventListener("error", () => ended.resolve());
  socket.addEventListener("close", ({ code, reason: text }) => {
    if (code === CLOSED_BY_LIMIT) problem = text;
    ended.resolve();
    closed.resolve();
  });
  socket.addEventListener("message", ({ data }) => {
    heard();
    const message = JSON.parse(String(data)) as Message;
    if (message.type === "hello") limits = message;
    if (message.type === "goodbye") reason = message.reason;
    else work = work.then(() => take(message));
  });
  const abort = () => ended.resolve();
  signal.addEventListener("abort", abort);
  if (signal.aborted) ended.resolve();
  await ended.promise;
  isOver = true;
  await work; // the last outcome is reported
  socket.close();
  await Promise.race([closed.promise, Bun.sleep(CLOSING_MS)]);
  socket.terminate();
  signal.removeEventListener("abort", abort);
  clearTimeout(watch);
  return { reason, problem, wasOpen };
}

/** Asks the app until it answers a challenge as it should, while `isWanted`. */
async function meets(
  address: string,
  { request, expected }: Extract<Message, { type: "challenge" }>,
  isWanted: () => boolean,
): Promise<boolean> {
  let shown = "";
  while (isWanted()) {
    const { outcome, text, detail } = await post(address, request, LIMITS);
    const isAnswered = "status" in outcome && outcome.status >= 200 && outcome.status <= 299;
    if (isAnswered && text.includes(expected)) {
      notice("the app has answered the challenge");
      return isWanted();
    }
    const problem = isAnswered ? `it answers ${detail} without the challenge` : detail;
    if (problem !== shown) notice(`waiting for the app to answer a challenge: ${problem}`);
    shown = problem;
    await Bun.sleep(AGAIN_MS);
  }
  return false;
}

function lineOf(id: string, { detail, ms }: Posted): string {
  const [number, attempt] = id.split(".");
  const repeated = attempt === "0" ? "" : `, attempt ${Number(attempt) + 1}`;
  return `event ${number}${repeated}: ${detail} in ${ms} ms`;
}
