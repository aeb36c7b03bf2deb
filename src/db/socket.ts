/**
 * Opens sockets to Postgres, encrypted like libpq does: `sslmode` means the same for every connection and driver. The
 * drivers' own TLS support differs between them, so they get a socket that is ready.
 */
import { readFile } from "node:fs/promises";
import { isIP, connect as open, Socket } from "node:net";
import { type ConnectionOptions, checkServerIdentity, connect as encrypt } from "node:tls";
import { LRUCache } from "lru-cache";
import { placesOf, socketOf, type Tls, tlsOf } from "~/address";
import { primaryOf } from "~/db/primary";

const CONNECT_TIMEOUT_MS = 5_000;
const DEFAULT_PORT = 5432;

/** The server and this side do not agree on encryption. The message says why, and how to fix it. */
export class TlsRefused extends Error {
  override readonly name = "TlsRefused";
  readonly code = "TLS_REFUSED";
}

type Way = "plain" | "encrypted";

/** Ways to try, in order. */
const WAYS: { readonly [mode in Tls["mode"]]: readonly [Way, Way?] } = {
  disable: ["plain"],
  allow: ["plain", "encrypted"],
  prefer: ["encrypted", "plain"],
  require: ["encrypted"],
  "verify-ca": ["encrypted"],
  "verify-full": ["encrypted"],
};

/** Opens a socket that is ready for the protocol: of several hosts, to the primary. Throws TlsRefused, or the network's error. */
export async function openSocket(url: string): Promise<Socket> {
  const places = placesOf(url);
  return await openPlace(places.length > 1 ? await primaryOf(url, places, openPlace) : url);
}

async function openPlace(url: string): Promise<Socket> {
  const directory = socketOf(url);
  const [way, other] = directory ? WAYS.disable : WAYS[tlsOf(url).mode];
  return await openBy(url, other ? await admittedWay(url, way, other) : way);
}

/**
 * Returns a socket whose opening may fail later. For a driver that takes sockets from a function: postgres.js loses a
 * connection whose function throws.
 */
export const openSocketOrFail = async (url: string): Promise<Socket> =>
  await openSocket(url).catch((error) => {
    const broken = new Socket();
    setImmediate(() => broken.destroy(error));
    return broken;
  });

/** Wraps an open socket for a driver that insists on connecting it. */
export function connectable(socket: Socket): Socket {
  return Object.assign(socket, {
    connect() {
      process.nextTick(() => socket.emit("connect"));
      return socket;
    },
  });
}

async function openBy(url: string, way: Way): Promise<Socket> {
  const { hostname, port: given } = new URL(url);
  const host = hostname.replace(/^\[(.+)\]$/, "$1");
  const port = Number(given || DEFAULT_PORT);
  const directory = socketOf(url);
  const socket = directory ? open(`${directory}/.s.PGSQL.${port}`) : open({ host, port });
  const deadline = AbortSignal.timeout(CONNECT_TIMEOUT_MS);
  try {
    await next(socket, "connect", deadline);
    return way === "plain" ? socket : await secure(socket, host, tlsOf(url), deadline);
  } catch (error) {
    socket.destroy();
    throw error;
  }
}

const SSL_REQUEST = Buffer.from([0, 0, 0, 8, 0x04, 0xd2, 0x16, 0x2f]);
const [YES, NO] = ["S", "N"];

async function secure(socket: Socket, host: string, tls: Tls, deadline: AbortSignal) {
  const options = await optionsOf(tls, host);
  const answer = next(socket, "data", deadline);
  socket.write(SSL_REQUEST);
  // Only this byte: anything after it is unencrypted and could come from an attacker.
  const text = String(await answer);
  if (text === NO) throw new TlsRefused(`sslmode=${tls.mode}: the server does not offer TLS`);
  if (text !== YES) throw new ConnectionClosed("the server does not answer as Postgres does");
  const secured = encrypt({ ...options, socket });
  try {
    await next(secured, "secureConnect", deadline);
  } catch (error) {
    secured.destroy();
    throw error instanceof ConnectTimeout ? error : refusal(tls, host, error);
  }
  return secured;
}

const UNTRUSTED = /CERT|SIGNATURE|ISSUER/;

function refusal({ mode, rootCert }: Tls, host: string, cause: unknown): TlsRefused {
  const { code = "", message } = cause as NodeJS.ErrnoException;
  let problem = `TLS was not established (${code || message})`;
  if (code === "ERR_TLS_CERT_ALTNAME_INVALID")
    problem = `the server's certificate is not for ${host}`;
  else if (UNTRUSTED.test(code))
    problem = `the server's certificate is not trusted (${code}); sslrootcert, which is ${rootCert ?? "not set"}, names the file of its authority`;
  return new TlsRefused(`sslmode=${mode}: ${problem}`, { cause });
}

/** Like libpq, verifies the certificate in weaker modes too if authorities are given. */
async function optionsOf({ mode, rootCert, cert, key }: Tls, host: string) {
  const named: ConnectionOptions = {
    ...(rootCert && rootCert !== "system" && { ca: await readPem("sslrootcert", rootCert) }),
    ...(cert && { cert: await readPem("sslcert", cert) }),
    ...(key && { key: await readPem("sslkey", key) }),
    ...(isIP(host) === 0 && { servername: host }),
  };
  return {
    ...named,
    rejectUnauthorized: rootCert !== undefined || mode === "verify-full",
    checkServerIdentity: (_: string, certificate: Parameters<typeof checkServerIdentity>[1]) =>
      mode === "verify-full" ? checkServerIdentity(host, certificate) : undefined,
  };
}

const readPem = async (parameter: string, file: string): Promise<Buffer> =>
  await readFile(file).catch((error) => {
    throw new TlsRefused(`${parameter}: ${file} cannot be read (${error.code})`);
  });

/** How long a choice is cached: pg_hba.conf changes, and servers are replaced. */
const ADMITTED_MS = 60_000;
const ADMITTED_MAX = 1_000;
const admitted = new LRUCache<string, Promise<Way>>({ max: ADMITTED_MAX, ttl: ADMITTED_MS });

/** Returns the first of two ways that the server accepts, tested with a connection that ends before it logs in. */
function admittedWay(url: string, first: Way, second: Way): Promise<Way> {
  const known = admitted.get(url);
  if (known) return known;
  const way = isAdmitted(url, first).then((is) => (is ? first : second));
  admitted.set(url, way);
  way.catch(() => admitted.delete(url));
  return way;
}

async function isAdmitted(url: string, way: Way): Promise<boolean> {
  const socket = await openBy(url, way).catch((error) => {
    if (error instanceof TlsRefused) return undefined;
    throw error;
  });
  if (!socket) return false;
  try {
    const answer = next(socket, "data", AbortSignal.timeout(CONNECT_TIMEOUT_MS));
    socket.write(startup(new URL(url)));
    // E is an error with the code C: no line of pg_hba.conf matches. Other errors reach the caller.
    const text = (await answer).toString("latin1");
    return !(text.startsWith("E") && text.includes(`\0C${INVALID_AUTHORIZATION}\0`));
  } finally {
    socket.destroy();
  }
}

const INVALID_AUTHORIZATION = "28000";
const PROTOCOL = 3 << 16;

function startup({ username, pathname }: URL): Buffer {
  const fields = ["user", username, "database", pathname.slice(1)].map(decodeURIComponent);
  const message = Buffer.from(`\0\0\0\0\0\0\0\0${fields.join("\0")}\0\0`);
  message.writeInt32BE(message.length, 0);
  message.writeInt32BE(PROTOCOL, 4);
  return message;
}

class ConnectTimeout extends Error {
  readonly code = "CONNECT_TIMEOUT";
}
class ConnectionClosed extends Error {
  readonly code = "CONNECTION_CLOSED";
}

/** Waits for the socket's next event of that name. Throws if the socket fails or ends, or at `deadline`. */
function next(socket: Socket, event: string, deadline: AbortSignal): Promise<Buffer> {
  const { promise, resolve, reject } = Promise.withResolvers<Buffer>();
  const closed = () => reject(new ConnectionClosed("the server closed the connection"));
  const late = () => reject(new ConnectTimeout("the server did not answer in time"));
  socket.once(event, resolve).once("error", reject).once("close", closed);
  deadline.addEventListener("abort", late);
  return promise.finally(() => {
    socket.off(event, resolve).off("error", reject).off("close", closed);
    deadline.removeEventListener("abort", late);
  });
}
