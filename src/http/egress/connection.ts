/** Connections to checked addresses. No variable names a proxy for them: a proxy would resolve the name once more. */
import { isIP, connect as open, type Socket } from "node:net";
import { connect as encrypt } from "node:tls";
import { type Answer, BadAnswer, createAnswerReader } from "~/http/egress/answer";

/** The network, or the TLS of the other side, fails. */
export class ConnectFailed extends Error {
  override readonly name = "ConnectFailed";
  readonly isTls: boolean;
  constructor(isTls: boolean, cause: unknown) {
    super(isTls ? "TLS failed" : "connection failed", { cause });
    this.isTls = isTls;
  }
}

/** Of authorities to trust beside the known ones, as PEM. */
export type Authorities = string | undefined;

export type Place = { readonly addresses: readonly string[]; readonly port: number };

/** Waits for an event of a socket. Throws if it fails or ends, and the reason of `signal` when that aborts. */
function next(socket: Socket, event: string, signal: AbortSignal): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const closed = () => reject(new Error("the connection was closed"));
  const aborted = () => reject(signal.reason);
  const reached = () => resolve();
  socket.once(event, reached).once("error", reject).once("close", closed);
  signal.addEventListener("abort", aborted);
  if (signal.aborted) aborted();
  return promise.finally(() => {
    socket.off(event, reached).off("error", reject).off("close", closed);
    signal.removeEventListener("abort", aborted);
  });
}

/** Connects to the first of these addresses that answers. */
async function openFirst({ addresses, port }: Place, signal: AbortSignal): Promise<Socket> {
  let failure: unknown = new Error("there is no address");
  for (const host of addresses) {
    const socket = open({ host, port });
    socket.on("error", () => undefined); // also after its end
    try {
      await next(socket, "connect", signal);
      return socket;
    } catch (error) {
      socket.destroy();
      signal.throwIfAborted();
      failure = error;
    }
  }
  throw new ConnectFailed(false, failure);
}

async function secure(
  socket: Socket,
  name: string,
  ca: Authorities,
  signal: AbortSignal,
): Promise<Socket> {
  const host = name.replace(/^\[(.*)\]$/, "$1");
  const secured = encrypt({
    ...{ socket, host, rejectUnauthorized: true, ALPNProtocols: ["http/1.1"] },
    ...(isIP(host) === 0 && { servername: host }),
    ...(ca !== undefined && { ca }),
  });
  secured.on("error", () => undefined);
  try {
    await next(secured, "secureConnect", signal);
    return secured;
  } catch (error) {
    secured.destroy();
    signal.throwIfAborted();
    throw new ConnectFailed(true, error);
  }
}

const LINE_END = /[\r\n]/;

/** The bytes of a request after which the connection ends. */
function written(url: URL, headers: Readonly<Record<string, string>>, body: string): Buffer {
  const content = Buffer.from(body);
  const all = {
    host: url.host,
    connection: "close",
    accept: "*/*",
    ...headers,
    "content-length": String(content.byteLength),
  };
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}`);
  if (lines.some((line) => LINE_END.test(line))) throw new Error("a header has more than one line");
  const head = `POST ${url.pathname}${url.search} HTTP/1.1\r\n${lines.join("\r\n")}\r\n\r\n`;
  return Buffer.concat([Buffer.from(head), content]);
}

/** Reads the one answer of a connection. Throws BadAnswer, also for a connection that ends early. */
function answered(socket: Socket, signal: AbortSignal): Promise<Answer> {
  const { promise, resolve, reject } = Promise.withResolvers<Answer>();
  const reader = createAnswerReader();
  const attempt = (work: () => Answer | undefined) => {
    try {
      const answer = work();
      if (answer) resolve(answer);
    } catch (error) {
      reject(error);
    }
  };
  const aborted = () => reject(signal.reason);
  socket.on("data", (bytes) => attempt(() => reader.push(Buffer.from(bytes))));
  socket.on("end", () => attempt(() => reader.end()));
  socket.on("close", () => reject(new BadAnswer("the connection ended before the answer")));
  signal.addEventListener("abort", aborted);
  if (signal.aborted) aborted();
  return promise.finally(() => signal.removeEventListener("abort", aborted));
}

/**
 * Posts to one of the checked addresses of a URL, with its name as that of the host. Throws ConnectFailed, BadAnswer, and
 * the reason of `signal` when that aborts.
 */
export async function postTo(
  place: Place,
  url: URL,
  request: { readonly headers: Readonly<Record<string, string>>; readonly body: string },
  { signal, ca }: { readonly signal: AbortSignal; readonly ca: Authorities },
): Promise<Answer> {
  const bytes = written(url, request.headers, request.body);
  const plain = await openFirst(place, signal);
  let socket = plain;
  try {
    if (url.protocol === "https:") socket = await secure(plain, url.hostname, ca, signal);
    const answer = answered(socket, signal);
    socket.write(bytes);
    return await answer;
  } finally {
    socket.destroy();
    plain.destroy();
  }
}
