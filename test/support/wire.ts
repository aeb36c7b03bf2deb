/** Requests as bytes, for input that no HTTP client would send. */
import { connect, type Socket } from "node:net";

export type WireAnswer = { status: number; headers: Headers; body: string };

const SILENCE_MS = 5_000;

/**
 * Sends `bytes` as they are and gives back what comes until the server closes, or falls silent for `silenceMs`. `then`
 * goes on from there.
 */
export async function exchange(
  url: string,
  bytes: string | Uint8Array,
  silenceMs = SILENCE_MS,
  then: (socket: Socket) => unknown = () => {},
): Promise<string> {
  const { hostname, port } = new URL(url);
  let received = "";
  await new Promise<void>((resolve) => {
    const socket = connect(Number(port), hostname, () => {
      socket.write(bytes);
      then(socket);
    });
    socket.setEncoding("latin1");
    socket.setTimeout(silenceMs, () => socket.destroy());
    socket.on("data", (chunk) => {
      received += chunk;
    });
    socket.on("close", () => resolve());
    socket.on("error", () => resolve());
  });
  return received;
}

/** The complete answers in the received bytes, in order, and the bytes after them. */
export function splitAnswers(received: string): { answers: string[]; rest: string } {
  const answers: string[] = [];
  let rest = received;
  while (rest.startsWith("HTTP/")) {
    const end = rest.indexOf("\r\n\r\n");
    if (end < 0) break;
    const length = end + 4 + Number(/\ncontent-length: *(\d+)/i.exec(rest.slice(0, end))?.[1] ?? 0);
    if (rest.length < length) break;
    answers.push(rest.slice(0, length));
    rest = rest.slice(length);
  }
  return { answers, rest };
}

export function toAnswer(received: string): WireAnswer {
  const end = received.indexOf("\r\n\r\n");
  const [first = "", ...lines] = received.slice(0, end).split("\r\n");
  const headers = new Headers(
    lines.map((line): [string, string] => [
      line.slice(0, line.indexOf(":")),
      line.slice(line.indexOf(":") + 1).trim(),
    ]),
  );
  return { status: Number(first.split(" ")[1]), headers, body: received.slice(end + 4) };
}

/** The complete answers in the received bytes, in order. Every answer declares its length. */
export const readAnswers = (received: string): WireAnswer[] =>
  splitAnswers(received).answers.map(toAnswer);

/** One hand-written request that asks the server to close. Header values may contain any byte. */
export async function ask(
  url: string,
  line: string,
  headers: readonly string[] = [],
  body = "",
): Promise<WireAnswer> {
  const host = headers.some((header) => /^host:/i.test(header)) ? [] : ["Host: localhost"];
  const head = [line, ...host, "Connection: close", ...headers].join("\r\n");
  const [answer] = readAnswers(
    await exchange(url, Buffer.from(`${head}\r\n\r\n${body}`, "latin1")),
  );
  return answer ?? { status: 0, headers: new Headers(), body: "" };
}

/** Sends `count` requests on one connection, each after the previous answer; returns their statuses. */
export async function inTurn(
  url: string,
  count: number,
  request: (index: number) => string,
): Promise<number[]> {
  const { hostname, port } = new URL(url);
  const statuses: number[] = [];
  await new Promise<void>((resolve, reject) => {
    let received = "";
    const socket = connect(Number(port), hostname, () => socket.write(request(0)));
    socket.setEncoding("latin1");
    socket.on("data", (chunk) => {
      received += chunk;
      const [answer] = readAnswers(received);
      if (!answer) return;
      received = "";
      statuses.push(answer.status);
      if (statuses.length === count) socket.destroy();
      else socket.write(request(statuses.length));
    });
    socket.on("close", () => resolve());
    socket.on("error", reject);
  });
  return statuses;
}
