/**
 * Connections that no HTTP client would make: pipelined requests, split anywhere, with bodies that are malformed, cut
 * off or never complete. Checks that answers come in order and belong to their requests, and that each write which was
 * answered happened exactly once, and any other at most once.
 */
import { connect } from "node:net";
import fc, { type Arbitrary } from "fast-check";
import { LIMITS, type Limits } from "~/wire/limits";
import { splitAnswers, toAnswer, type WireAnswer } from "../../test/support/wire";

/** Heads that are rejected, and a body in chunks that is. Each ends its connection. */
const BAD_HEADS = {
  "two lengths": "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\nContent-Length: 3\r\n\r\n",
  "two framings":
    "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n",
  "no host": "GET / HTTP/1.1\r\n\r\n",
  "lone LF": "GET / HTTP/1.1\nHost: x\n\n",
  "no HTTP": "\0\x01\r\n\r\n",
};
const BAD_CHUNKS = { "no length": "zz\r\n{}\r\n", "too long": "1\r\n{}\r\n" };

type Post = {
  readonly kind: "post";
  readonly framing: "length" | "chunks";
  readonly size: number;
  readonly expects: boolean;
};
export type WireRequest =
  | Post
  | { readonly kind: "read" }
  | { readonly kind: "bad head"; readonly flaw: keyof typeof BAD_HEADS }
  | { readonly kind: "bad chunk"; readonly flaw: keyof typeof BAD_CHUNKS };

/** Positions are taken modulo the number of bytes. */
export type Ending =
  | { readonly kind: "close" }
  | { readonly kind: "fin" | "reset"; readonly at: number }
  | { readonly kind: "stall"; readonly within: "head" | "body"; readonly trickles: boolean };

/** One connection. `cuts`: where its bytes are divided into segments. */
export type Wire = {
  readonly requests: readonly WireRequest[];
  readonly cuts: readonly number[];
  readonly ending: Ending;
};

const REQUESTS_MAX = 12;
const CUTS_MAX = 8;
/** Several together are more than the server reads ahead. */
const TEXT_MAX = 12_000;
const POSITION_MAX = 1_000_000;
const STALLS_MAX = 20;
/** Behind a time limit: how often the server checks it, and a busy machine. */
const GRACE_MS = 5_000;
/** A connection that is not stalled is over by then. */
const OPEN_MS = 20_000;
const TRICKLE_MS = 200;
/** Messages that are read of the time that a connection took. */
const HISTORY_PAGE = 999;
const HISTORY_PAGES_MAX = 20;

const position = fc.nat(POSITION_MAX);
const post: Arbitrary<WireRequest> = fc.record({
  kind: fc.constant("post"),
  framing: fc.constantFrom("length", "chunks"),
  size: fc.oneof({ weight: 4, arbitrary: fc.nat(40) }, { weight: 1, arbitrary: fc.nat(TEXT_MAX) }),
  expects: fc.nat(9).map((n) => n === 0),
});
const request: Arbitrary<WireRequest> = fc.oneof(
  { weight: 12, arbitrary: post },
  { weight: 4, arbitrary: fc.constant<WireRequest>({ kind: "read" }) },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant("bad head"),
      flaw: fc.constantFrom(...(Object.keys(BAD_HEADS) as (keyof typeof BAD_HEADS)[])),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant("bad chunk"),
      flaw: fc.constantFrom(...(Object.keys(BAD_CHUNKS) as (keyof typeof BAD_CHUNKS)[])),
    }),
  },
);

export const anyWire: Arbitrary<Wire> = fc.record({
  requests: fc.array(request, { minLength: 1, maxLength: REQUESTS_MAX, size: "max" }),
  cuts: fc.array(position, { maxLength: CUTS_MAX }),
  ending: fc.oneof(
    { weight: 4, arbitrary: fc.constant<Ending>({ kind: "close" }) },
    {
      weight: 4,
      arbitrary: fc.record({ kind: fc.constantFrom("fin", "reset"), at: position }),
    },
    {
      weight: 1,
      arbitrary: fc.record({
        kind: fc.constant("stall"),
        within: fc.constantFrom("head", "body"),
        trickles: fc.boolean(),
      }),
    },
  ),
});

export const isWire = (step: object): step is Wire => "requests" in step;

/** A request as it is sent. */
type Planned = {
  readonly bytes: string;
  readonly id: string;
  readonly status: number;
  /** Of a message that it posts. */
  readonly text?: string;
  /** Its id is not read. */
  readonly isAnonymous?: boolean;
  /** No request behind it is answered. */
  readonly endsConnection: boolean;
  /** Can be rejected by its first bytes. */
  readonly isMalformed?: boolean;
};

export type Place = { readonly environmentUrl: string; readonly token: string };

function headOf(line: string, id: string, { token }: Place, ...headers: string[]): string {
  return [
    `${line} HTTP/1.1`,
    "Host: localhost",
    `Authorization: Bearer ${token}`,
    `X-Request-Id: ${id}`,
    ...headers,
    "\r\n",
  ].join("\r\n");
}

const JSON_TYPE = "Content-Type: application/json; charset=utf-8";
const CHUNKED = "Transfer-Encoding: chunked";
const chunk = (text: string) => `${text.length.toString(16)}\r\n${text}\r\n`;

function plan(one: WireRequest, id: string, place: Place, isLast: boolean): Planned {
  const closing = isLast ? ["Connection: close"] : [];
  const line = `POST ${place.environmentUrl}/chat.postMessage`;
  const known = { id, endsConnection: true, isMalformed: true };
  if (one.kind === "bad head")
    return { ...known, bytes: BAD_HEADS[one.flaw], status: 400, isAnonymous: true };
  if (one.kind === "bad chunk") {
    const head = headOf(line, id, place, JSON_TYPE, CHUNKED);
    return { ...known, bytes: head + BAD_CHUNKS[one.flaw], status: 400 };
  }
  if (one.kind === "read") {
    const head = headOf(`GET ${place.environmentUrl}/api.test`, id, place, ...closing);
    return { id, bytes: head, status: 200, endsConnection: isLast };
  }
  const text = `${id} ${"x".repeat(one.size)}`.trim();
  const body = JSON.stringify({ channel: "C01GENERAL", text });
  const expects = one.expects ? ["Expect: 100-continue"] : [];
  const [framing, framed] =
    one.framing === "length"
      ? [`Content-Length: ${body.length}`, body]
      : [CHUNKED, `${chunk(body.slice(0, 9))}${chunk(body.slice(9))}0\r\n\r\n`];
  const bytes = headOf(line, id, place, JSON_TYPE, framing, ...expects, ...closing) + framed;
  return { id, bytes, status: 200, text, endsConnection: isLast };
}

/** The request that never becomes complete. */
function planStall(within: "head" | "body", id: string, place: Place): Planned {
  const head = headOf(
    `POST ${place.environmentUrl}/chat.postMessage`,
    id,
    place,
    JSON_TYPE,
    "Content-Length: 1000000",
  );
  const known = { id, status: 408, endsConnection: true };
  return within === "body"
    ? { ...known, bytes: `${head}{"text":"` }
    : { ...known, bytes: `${head.slice(0, -4)}\r\nX-Slow: `, isAnonymous: true };
}

type Outcome = {
  readonly received: string;
  /** The server has closed the connection in time. */
  readonly isClosed: boolean;
  /** Until the server closed the connection. */
  readonly milliseconds: number;
};

/** Sends the bytes in segments, up to where the client gives up, and collects what comes until the connection ends. */
async function send(
  url: string,
  bytes: string,
  { cuts, ending }: Wire,
  openMs: number,
): Promise<Outcome> {
  const { hostname, port } = new URL(url);
  const whole = Buffer.from(bytes, "latin1");
  const end = "at" in ending ? ending.at % (whole.length + 1) : whole.length;
  const places = [...new Set(cuts.map((cut) => cut % whole.length)), end]
    .filter((cut) => cut <= end)
    .sort((a, b) => a - b);
  let received = "";
  let isClosed = true;
  const started = performance.now();
  await new Promise<void>((resolve) => {
    const socket = connect({ port: Number(port), host: hostname, noDelay: true });
    socket.setEncoding("latin1");
    const late = setTimeout(() => {
      isClosed = false;
      socket.destroy();
    }, openMs);
    let trickle: ReturnType<typeof setInterval> | undefined;
    socket.on("connect", async () => {
      let at = 0;
      for (const place of places) {
        if (place > at && socket.writable) socket.write(whole.subarray(at, place));
        at = place;
        await Bun.sleep(0);
      }
      if (ending.kind === "fin") socket.end();
      else if (ending.kind === "reset") socket.resetAndDestroy();
      else if (ending.kind === "stall" && ending.trickles)
        trickle = setInterval(() => socket.writable && socket.write("x"), TRICKLE_MS);
    });
    socket.on("data", (data) => {
      received += data;
    });
    socket.on("error", () => undefined); // The server closes while the client still sends.
    socket.on("close", () => {
      clearTimeout(late);
      clearInterval(trickle);
      resolve();
    });
  });
  return { received, isClosed, milliseconds: performance.now() - started };
}

/** Whether an answer is the one to this request. */
function isTo(asked: Planned, { status, headers, body }: WireAnswer): boolean {
  if (!asked.isAnonymous && headers.get("x-request-id") !== asked.id) return false;
  if (status !== asked.status) return false;
  if (asked.text === undefined) return true;
  const { message } = JSON.parse(body) as { message?: { text?: unknown } };
  return message?.text === asked.text;
}

/** Returns the fault of a connection in a sentence, or undefined. */
function faultOf(
  planned: readonly Planned[],
  { ending }: Wire,
  { received, isClosed }: Outcome,
  sentBytes: number,
  countOf: (text: string) => number,
): string | undefined {
  const { answers: whole, rest } = splitAnswers(received);
  const answers = whole.map(toAnswer).filter(({ status }) => status !== 100);
  if (ending.kind !== "reset") {
    if (!isClosed) return "left the connection open";
    if (rest !== "") return `ended within an answer: ${rest.slice(0, 100)}`;
  }
  let end = 0;
  let isOver = false;
  for (const [index, asked] of planned.entries()) {
    const isBegun = end < sentBytes && !isOver;
    end += asked.bytes.length;
    const answer = answers[index];
    const isComplete = end <= sentBytes && !isOver;
    isOver ||= asked.endsConnection;
    const mayAnswer = asked.isMalformed ? isBegun : isComplete;
    if (answer && (!mayAnswer || !isTo(asked, answer)))
      return `answer ${index + 1} is not to request ${index + 1} (${asked.id}): ${answer.status} ${answer.body.slice(0, 200)}`;
    const isWanted =
      ending.kind === "close" ||
      (ending.kind === "stall" && asked.status !== 408) ||
      (ending.kind === "fin" && index === 0);
    if (!answer && isComplete && isWanted)
      return `request ${index + 1} (${asked.id}) got no answer`;
    if (asked.text === undefined) continue;
    const count = countOf(asked.text);
    const isWrong = count > 1 || (count > 0 && !isComplete) || (count === 0 && answer);
    const state = isComplete ? "unanswered" : "never complete";
    if (isWrong)
      return `request ${index + 1} (${asked.id}) happened ${count} times, ${answer ? "answered" : state}`;
  }
  return answers.length > planned.length ? "sent an answer without a request" : undefined;
}

type History = {
  readonly messages: readonly { readonly text: string }[];
  readonly response_metadata?: { readonly next_cursor?: string };
};

export type WireFault = { readonly fault: string; readonly wire: Wire };

/** `place`: an environment that nothing else writes to. `effectsUrl`: where its messages are read. */
export function createWirePlayer({
  url,
  effectsUrl = url,
  place,
  limits = LIMITS,
  graceMs = GRACE_MS,
}: {
  url: string;
  effectsUrl?: string;
  place: Place;
  limits?: Pick<Limits, "headMs" | "requestMs">;
  graceMs?: number;
}) {
  const seed = crypto.randomUUID().slice(0, 8);
  let connections = 0;
  const stalls = new Set<Promise<void>>();
  const faults: WireFault[] = [];

  /** Of all messages since then, by the clock of this machine, which is the server's too. */
  async function texts(since: number): Promise<string[]> {
    const found: string[] = [];
    let cursor = "";
    for (let page = 0; page < HISTORY_PAGES_MAX; page++) {
      const response = await fetch(
        `${effectsUrl}${place.environmentUrl}/conversations.history?channel=C01GENERAL&oldest=${since}&limit=${HISTORY_PAGE}&cursor=${cursor}`,
        { headers: { Authorization: `Bearer ${place.token}` } },
      );
      const { messages, response_metadata: more } = (await response.json()) as History;
      for (const { text } of messages) found.push(text);
      cursor = encodeURIComponent(more?.next_cursor ?? "");
      if (cursor === "") return found;
    }
    throw new Error("more messages were written than a connection can be checked against");
  }

  async function run(wire: Wire): Promise<string | undefined> {
    const { requests, ending } = wire;
    const name = `wire-${seed}-${++connections}`;
    const planned = requests.map((one, index) =>
      plan(
        one,
        `${name}-${index + 1}`,
        place,
        ending.kind === "close" && index === requests.length - 1,
      ),
    );
    const isStalled = ending.kind === "stall" && !planned.some((one) => one.endsConnection);
    if (isStalled) planned.push(planStall(ending.within, `${name}-stalled`, place));
    const bytes = planned.map((one) => one.bytes).join("");
    const limit = isStalled
      ? (ending.within === "head" ? limits.headMs : limits.requestMs) + graceMs
      : OPEN_MS;
    const since = Math.floor(Date.now() / 1000) - 1;
    const outcome = await send(url, bytes, wire, limit);
    const sent = "at" in ending ? ending.at % (bytes.length + 1) : bytes.length;
    const seen = await texts(since);
    const countOf = (text: string) => seen.filter((other) => other === text).length;
    const fault = faultOf(planned, wire, outcome, sent, countOf);
    return fault && `${fault}, after ${Math.round(outcome.milliseconds)} ms`;
  }

  return {
    connections: () => connections,

    /** Plays one connection; resolves with its fault. A stalled one is checked in the background. */
    async play(wire: Wire): Promise<string | undefined> {
      if (wire.ending.kind !== "stall") return await run(wire);
      if (stalls.size >= STALLS_MAX) return undefined;
      const stall = run(wire)
        .catch(String)
        .then((fault) => {
          stalls.delete(stall);
          if (fault) faults.push({ fault, wire });
        });
      stalls.add(stall);
      return undefined;
    },

    /** The faults of stalled connections, once all have ended. */
    async settle(): Promise<readonly WireFault[]> {
      await Promise.all(stalls);
      return faults;
    },
  };
}
