/** Requests of the server to addresses that others choose: where they may go, and what they may cost. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { createServer, type Server, type Socket } from "node:net";
import { networkInterfaces } from "node:os";
import { readConfig } from "~/config";
import { createEgress } from "~/http/egress/egress";
import { createTargets, type Lookup } from "~/http/egress/targets";
import { createAuthority, type TestAuthority } from "../support/authority";
import { eventually } from "../support/database";

const DATABASE = "postgres://u@db.internal:5432/x?other_host=10.9.9.9%3A6432";
const LOOPBACK = ["127.0.0.0/8", "::1/128"];
const LIMITS = { acknowledgeMs: 1_000, redirectsMax: 2 };
const REQUEST = { headers: { "content-type": "text/plain" }, body: "hello" };

const NAMES: { readonly [name: string]: readonly string[] } = {
  "bot.example.com": ["93.184.216.34"],
  "inside.example.com": ["10.1.2.3"],
  "both.example.com": ["93.184.216.34", "127.0.0.1"],
  "here.example.com": ["127.0.0.1"],
  "meta.example.com": ["169.254.169.254"],
  "db.internal": ["10.9.9.8"],
  bot: ["172.18.0.5"],
  localhost: ["127.0.0.1"],
};
const lookup: Lookup = async (name) => {
  const found = NAMES[name];
  if (!found) throw new Error("ENOTFOUND");
  return found;
};

const targetsOf = (
  allowed: readonly string[],
  given: Partial<Parameters<typeof createTargets>[0]> = {},
) =>
  createTargets({
    allowed: new Set(allowed),
    databaseUrl: DATABASE,
    ownPorts: () => [3000],
    lookup,
    ...given,
  });

const ALL = ["0.0.0.0/0", "::/0"];

describe("never allowed, whatever is listed, is", () => {
  test.each([
    ["the metadata service", "http://169.254.169.254/latest/meta-data"],
    ["the metadata service as one number", "http://2852039166/"],
    ["the metadata service in octal", "http://0251.0376.0251.0376/"],
    ["the metadata service in hex", "http://0xa9fea9fe/"],
    ["the metadata service, mapped to IPv6", "http://[::ffff:169.254.169.254]/"],
    ["the metadata service, embedded in IPv6", "http://[64:ff9b::169.254.169.254]/"],
    ["the metadata service of 6to4", "http://[2002:a9fe:a9fe::]/"],
    ["the metadata service of IPv6", "http://[fd00:ec2::254]/"],
    ["the metadata service of Oracle's cloud", "http://[fd00:c1::a9fe:a9fe]/"],
    ["the metadata service of Scaleway", "http://[fd00:42::42]/"],
    ["the metadata service of Akamai", "http://[fd00:a9fe:a9fe::1]/"],
    ["the metadata service of Alibaba's cloud", "http://[fd00:100::100:200]/"],
    ["the metadata service, translated to IPv6", "http://[::ffff:0:169.254.169.254]/"],
    ["a metadata service in a shared range", "http://100.100.100.200/"],
    ["a name of the metadata service", "http://meta.example.com/"],
    ["a link-local address", "http://[fe80::1]/"],
    ["the unspecified address", "http://0.0.0.0:8080/"],
    ["the unspecified address of IPv6", "http://[::]:8080/"],
    ["a short form of it", "http://0:8080/"],
    ["multicast", "http://224.0.0.1/"],
    ["a port of this server", "http://127.0.0.1:3000/api/platform/keys"],
    ["a port of this server by its name", "http://localhost:3000/"],
    ["a port of this server by one number", "http://2130706433:3000/"],
    ["a port of this server in octal", "http://0177.0.0.1:3000/"],
    ["a port of this server by IPv6", "http://[::1]:3000/"],
    ["a port of this server, mapped to IPv6", "http://[::ffff:127.0.0.1]:3000/"],
    ["the database by its name", "http://db.internal:5432/"],
    ["the database by its address", "http://10.9.9.8:5432/"],
    ["its second host", "http://10.9.9.9:6432/"],
    ["the database, embedded in IPv6", "http://[64:ff9b::10.9.9.8]:5432/"],
  ])("%s", async (_, url) => {
    const allowed = [...ALL, new URL(url).origin];
    expect(await targetsOf(allowed).check(url)).toEqual({ blocked: expect.any(String) });
  });

  test.each([
    ["a user name", "http://user@93.184.216.34/"],
    ["a password", "http://user:password@93.184.216.34/"],
    ["a file", "file:///etc/passwd"],
    ["another protocol", "gopher://93.184.216.34/"],
    ["another protocol, and a port", "gopher://93.184.216.34:6379/"],
    ["a protocol of files, and a port", "ftp://93.184.216.34:8080/"],
    ["no URL", "bot.example.com"],
  ])("a URL with %s", async (_, url) => {
    expect(await targetsOf(ALL).check(url)).toEqual({ blocked: expect.any(String) });
  });

  test("a port of this server by another address of its machine, also embedded in IPv6", async () => {
    const all = Object.values(networkInterfaces()).flatMap((each) => each ?? []);
    const own = all.filter(({ family, internal }) => family === "IPv4" && !internal);
    for (const { address } of own)
      for (const host of [address, `[64:ff9b::${address}]`])
        expect(await targetsOf(ALL).check(`http://${host}:3000/`)).toHaveProperty("blocked");
  });

  test("the socket of the database, which is also a port of this machine", async () => {
    const databaseUrl = "postgres://u@%2Fvar%2Frun%2Fpostgresql:5433/x";
    const targets = targetsOf(ALL, { databaseUrl });
    expect(await targets.check("http://127.0.0.1:5433/")).toHaveProperty("blocked");
    expect(await targets.check("http://127.0.0.1:5432/")).toHaveProperty("addresses");
  });

  test("a port of the database whose address is not known", async () => {
    const databaseUrl = "postgres://u@unknown.internal:5432/x";
    const targets = targetsOf(ALL, { databaseUrl });
    expect(await targets.check("http://93.184.216.34:5432/")).toHaveProperty("blocked");
    expect(await targets.check("http://93.184.216.34:80/")).toHaveProperty("addresses");
  });
});

describe("a list", () => {
  const allows = async (allowed: readonly string[], url: string) =>
    !("blocked" in (await targetsOf(allowed).check(url)));

  test.each<[readonly string[], string, boolean]>([
    [[], "http://93.184.216.34/", false],
    [["https://bot.example.com"], "https://bot.example.com/events", true],
    [["https://bot.example.com"], "http://bot.example.com/events", false],
    [["https://bot.example.com"], "https://bot.example.com:8443/", false],
    [["https://bot.example.com"], "https://bot.example.com.other.com/", false],
    // Names that lead inside.
    [["http://inside.example.com"], "http://inside.example.com/", false],
    [["http://here.example.com"], "http://here.example.com/", false],
    [["http://inside.example.com", "10.1.0.0/16"], "http://inside.example.com/", true],
    [["http://both.example.com"], "http://both.example.com/", false],
    [["0.0.0.0/0"], "http://both.example.com/", true],
    [["93.0.0.0/8"], "http://both.example.com/", false],
    // A container, and an address that is listed itself.
    [["http://bot:8080"], "http://bot:8080/events", true],
    [["http://bot:8080"], "http://bot:8081/events", false],
    [["http://10.1.2.3:8080"], "http://10.1.2.3:8080/", true],
    [["http://10.1.2.3:8080"], "http://10.1.2.3:8081/", false],
    // Ranges.
    [LOOPBACK, "http://127.0.0.1:3001/", true],
    [LOOPBACK, "http://localhost:3001/", true],
    [LOOPBACK, "http://[::1]:3001/", true],
    [LOOPBACK, "http://[::ffff:127.0.0.1]:3001/", true],
    [LOOPBACK, "http://0x7f.1:3001/", true],
    [LOOPBACK, "http://10.1.2.3/", false],
    [LOOPBACK, "http://192.168.1.1/", false],
    [LOOPBACK, "http://172.16.0.1/", false],
    [LOOPBACK, "http://[fd12::1]/", false],
    [LOOPBACK, "http://93.184.216.34/", false],
    [["10.1.0.0/16"], "http://10.1.255.255/", true],
    [["10.1.0.0/16"], "http://10.2.0.0/", false],
    [["fd12::/16"], "http://[fd12:1::1]/", true],
    [["0.0.0.0/0"], "http://[64:ff9b::10.1.2.3]/", false],
  ])("of %p with %p: %p", async (allowed, url, isAllowed) => {
    expect(await allows(allowed, url)).toBe(isAllowed);
  });

  test("is by default this machine in development, and otherwise empty", () => {
    const settings = { DATABASE_URL: "postgres://u@h/x" };
    expect([...readConfig(settings).EVENT_TARGETS]).toEqual(LOOPBACK);
    expect([...readConfig({ ...settings, ENVIRONMENT: "production" }).EVENT_TARGETS]).toEqual([]);
    expect([...readConfig({ ...settings, EVENT_TARGETS: "none" }).EVENT_TARGETS]).toEqual([]);
    const EVENT_TARGETS = "https://bot.example.com, 10.0.0.0/8,fd00::/8";
    expect([...readConfig({ ...settings, EVENT_TARGETS }).EVENT_TARGETS]).toHaveLength(3);
    for (const wrong of [
      "*",
      "bot.example.com",
      "https://bot.example.com/",
      "10.0.0.0",
      "10.0.0.0/33",
    ])
      expect(() => readConfig({ ...settings, EVENT_TARGETS: wrong })).toThrow("EVENT_TARGETS");
  });
});

/** A server that writes what a test wants, byte by byte if it must. */
type Receiver = { readonly url: string; readonly requests: string[]; readonly sockets: Socket[] };
const servers: Server[] = [];
afterAll(() => {
  for (const server of servers) server.close();
});

async function receiver(answer: (socket: Socket) => unknown): Promise<Receiver> {
  const requests: string[] = [];
  const sockets: Socket[] = [];
  const server = createServer((socket) => {
    sockets.push(socket);
    let request = "";
    socket.on("error", () => undefined);
    socket.on("data", (bytes) => {
      request += String(bytes);
      const [head = "", body] = request.split("\r\n\r\n");
      const length = Number(/content-length: (\d+)/.exec(head)?.[1]);
      if (body === undefined || body.length < length) return;
      requests.push(request);
      void answer(socket);
    });
  });
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as { port: number };
  return { url: `http://127.0.0.1:${port}`, requests, sockets };
}

const answering = (text: string) => receiver((socket) => socket.end(text));
const egress = createEgress({ targets: targetsOf(LOOPBACK) });
const post = (url: string, limits: Partial<typeof LIMITS> = {}) =>
  egress.post(url, REQUEST, { ...LIMITS, ...limits });

describe("a request", () => {
  test("is one POST with a name of the host, and the answer is its status, headers and body", async () => {
    const { url, requests } = await answering(
      "HTTP/1.1 200 OK\r\nX-Slack-No-Retry: 1\r\nContent-Length: 5\r\n\r\nhello",
    );
    expect(await post(`${url}/events?a=1`)).toEqual({
      status: 200,
      headers: { "x-slack-no-retry": "1", "content-length": "5" },
      body: "hello",
    });
    expect(requests).toHaveLength(1);
    expect(requests[0]?.split("\r\n")).toEqual([
      "POST /events?a=1 HTTP/1.1",
      `host: ${new URL(url).host}`,
      "connection: close",
      "accept: */*",
      "content-type: text/plain",
      "content-length: 5",
      "",
      "hello",
    ]);
  });

  test.each<[string, string, string]>([
    ["chunked", "Transfer-Encoding: chunked\r\n\r\n3;x=y\r\nhel\r\n2\r\nlo\r\n0\r\n\r\n", ""],
    ["without a length", "\r\nhello", ""],
    ["after an interim one", "Content-Length: 5\r\n\r\nhello", "HTTP/1.1 100 Continue\r\n\r\n"],
  ])("takes an answer that is %s", async (_, rest, before) => {
    const { url } = await answering(`${before}HTTP/1.1 200 OK\r\n${rest}`);
    expect(await post(url)).toMatchObject({ status: 200, body: "hello" });
  });

  test("takes an answer in single bytes", async () => {
    const text = "HTTP/1.1 201 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n";
    const { url } = await receiver(async (socket) => {
      for (const byte of Buffer.from(text)) {
        socket.write(Buffer.of(byte));
        await Bun.sleep(1);
      }
    });
    expect(await post(url)).toMatchObject({ status: 201, body: "hello" });
  });

  test("goes through no proxy", async () => {
    const { url } = await answering("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n");
    const before = process.env["HTTP_PROXY"];
    process.env["HTTP_PROXY"] = "http://127.0.0.1:9";
    try {
      expect(await post(url)).toMatchObject({ status: 200 });
    } finally {
      if (before === undefined) delete process.env["HTTP_PROXY"];
      else process.env["HTTP_PROXY"] = before;
    }
  });

  test("goes to the address that was checked, though the name has another one by then", async () => {
    const inside = await answering("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n");
    let lookups = 0;
    const changing: Lookup = async () => (lookups++ === 0 ? ["127.0.0.2"] : ["127.0.0.1"]);
    const { port } = new URL(inside.url);
    const allowed = ["127.0.0.2/32"];
    const targets = targetsOf(allowed, { lookup: changing, databaseUrl: "postgres://u@h:1/x" });
    const outcome = await createEgress({ targets }).post(
      `http://rebound.example.com:${port}/`,
      REQUEST,
      LIMITS,
    );
    expect(outcome).toEqual({ error: "connection_failed" });
    expect({ lookups, requests: inside.requests.length }).toEqual({ lookups: 1, requests: 0 });
  });

  test("is sent nowhere if one of the addresses is not allowed", async () => {
    const { url, sockets } = await answering("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n");
    const mixed: Lookup = async () => ["127.0.0.1", "10.1.2.3"];
    const targets = targetsOf(LOOPBACK, { lookup: mixed });
    const outcome = await createEgress({ targets }).post(
      `http://mixed.example.com:${new URL(url).port}/`,
      REQUEST,
      LIMITS,
    );
    expect(outcome).toHaveProperty("blocked");
    expect(sockets).toHaveLength(0);
  });

  test("tries the next address if nobody answers at the first", async () => {
    const { url } = await answering("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n");
    const two: Lookup = async () => ["127.0.0.3", "127.0.0.1"];
    const targets = targetsOf(LOOPBACK, { lookup: two });
    const outcome = await createEgress({ targets }).post(
      `http://two.example.com:${new URL(url).port}/`,
      REQUEST,
      LIMITS,
    );
    expect(outcome).toMatchObject({ status: 200 });
  });

  test("with a header of two lines is not sent", async () => {
    const { url, sockets } = await answering("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n");
    const headers = { "x-token": "a\r\nx-other: b" };
    const outcome = await egress.post(url, { headers, body: "" }, LIMITS);
    expect(outcome).toEqual({ error: "connection_failed" });
    await Bun.sleep(100); // a promise that nobody waits for would fail by then
    expect(sockets).toHaveLength(0);
  });

  test("fails where nobody listens, and for a name without an address", async () => {
    expect(await post("http://127.0.0.1:9/")).toEqual({ error: "connection_failed" });
    const unknown = await post("http://unknown.example.com/");
    expect(unknown).toEqual({ error: "connection_failed" });
  });
});

describe("redirects", () => {
  const to = (location: string) =>
    `HTTP/1.1 307 Temporary Redirect\r\nLocation: ${location}\r\nContent-Length: 0\r\n\r\n`;

  test("are followed twice", async () => {
    const end = await answering("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n");
    const second = await answering(to(`${end.url}/end`));
    const first = await answering(to(second.url));
    const outer = await answering(to(first.url));
    expect(await post(first.url)).toMatchObject({ status: 200 });
    expect(end.requests[0]).toStartWith("POST /end HTTP/1.1");
    expect(await post(outer.url)).toEqual({ error: "too_many_redirects" });
    expect(await post(second.url, { redirectsMax: 0 })).toMatchObject({ status: 307 });
    expect(end.requests).toHaveLength(1);
  });

  test("to themselves end", async () => {
    const loop = await answering(to("/again"));
    expect(await post(loop.url)).toEqual({ error: "too_many_redirects" });
    expect(loop.requests).toHaveLength(3);
  });

  test.each([
    "http://169.254.169.254/latest",
    "http://10.1.2.3/",
    "http://localhost:3000/",
    "http://user:password@127.0.0.1/",
    "file:///etc/passwd",
    "gopher://127.0.0.1:6379/",
    "//meta.example.com/",
    "http://[",
  ])("to %p are not followed", async (location) => {
    const { url } = await answering(to(location));
    expect(await post(url)).toEqual({ blocked: expect.stringMatching(/^a redirect: /) });
  });
});

describe("an answer that exceeds its bounds ends the request:", () => {
  const closed = async ({ sockets }: Receiver) =>
    await eventually(() => expect(sockets.every(({ destroyed }) => destroyed)).toBeTrue());

  test.each([
    ["headers without an end", "HTTP/1.1 200 OK\r\n", "x-header: 0123456789\r\n"],
    ["one long header", "HTTP/1.1 200 OK\r\nx-header: ", "0123456789".repeat(100)],
    ["interim answers without an end", "", "HTTP/1.1 100 Continue\r\n\r\n"],
    ["a body without an end", "HTTP/1.1 200 OK\r\n\r\n", "0123456789".repeat(100)],
    [
      "chunks without an end",
      "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n",
      "1\r\nx\r\n",
    ],
  ])("%s", async (_, begin, more) => {
    const endless = await receiver(async (socket) => {
      socket.write(begin);
      const block = more.repeat(Math.ceil(4_096 / more.length));
      while (!socket.destroyed) {
        if (!socket.write(block)) await Bun.sleep(1);
        await Bun.sleep(0);
      }
    });
    expect(await post(endless.url, { acknowledgeMs: 5_000 })).toEqual({ error: "too_large" });
    await closed(endless);
  });

  test("a length over the bound, before it arrives", async () => {
    const { url } = await receiver((socket) => {
      socket.write("HTTP/1.1 200 OK\r\nContent-Length: 65537\r\n\r\n");
    });
    expect(await post(url)).toEqual({ error: "too_large" });
  });

  test.each<[string, (socket: Socket) => void]>([
    ["no answer", () => undefined],
    ["headers that trickle", (socket) => trickle(socket, "HTTP/1.1 200 OK\r\n", "x: y\r\n")],
    ["a body that trickles", (socket) => trickle(socket, "HTTP/1.1 200 OK\r\n\r\n", "x")],
  ])("%s", async (_, answer) => {
    const slow = await receiver(answer);
    expect(await post(slow.url, { acknowledgeMs: 300 })).toEqual({ error: "timeout" });
    await closed(slow);
  });

  test("a name that does not resolve in time", async () => {
    const targets = targetsOf(LOOPBACK, { lookup: () => new Promise(() => undefined) });
    const outcome = await createEgress({ targets }).post("http://slow.example.com/", REQUEST, {
      ...LIMITS,
      acknowledgeMs: 100,
    });
    expect(outcome).toEqual({ error: "timeout" });
  });

  test("the time is one for all redirects", async () => {
    const loop = await receiver(async (socket) => {
      await Bun.sleep(200);
      socket.end("HTTP/1.1 302 Found\r\nLocation: /again\r\nContent-Length: 0\r\n\r\n");
    });
    const outcome = await post(loop.url, { acknowledgeMs: 300, redirectsMax: 100 });
    expect(outcome).toEqual({ error: "timeout" });
    expect(loop.requests.length).toBeLessThan(3);
  });
});

test.each([
  ["another protocol", "SSH-2.0-OpenSSH_9.6\r\n\r\n"],
  ["a malformed header", "HTTP/1.1 200 OK\r\n: none\r\n\r\n"],
  ["two lengths", "HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nx"],
  [
    "a length and chunks",
    "HTTP/1.1 200 OK\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\nx",
  ],
  ["a chunk of no length", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nxyz\r\n"],
  ["less than its length", "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nx"],
  ["nothing", ""],
])("an answer with %s is none", async (_, text) => {
  const { url } = await answering(text);
  expect(await post(url)).toEqual({ error: "bad_answer" });
});

describe("over TLS", () => {
  let authority: TestAuthority;
  let port = 0;
  const hosts: (string | null)[] = [];
  const names: Lookup = async () => ["127.0.0.1"];
  const secureTo = async (name: string, ca: string | undefined) =>
    await createEgress({ targets: targetsOf(LOOPBACK, { lookup: names }), ...(ca && { ca }) }).post(
      `https://${name}:${port}/`,
      REQUEST,
      LIMITS,
    );

  beforeAll(async () => {
    authority = await createAuthority("bot.example.test");
    const { key, certificate: cert } = authority;
    const server = Bun.serve({
      ...{ port: 0, hostname: "127.0.0.1", tls: { key, cert } },
      fetch(request) {
        hosts.push(request.headers.get("host"));
        return new Response("hello");
      },
    });
    port = server.port ?? 0;
  });

  test("the certificate is that of the name", async () => {
    expect(await secureTo("bot.example.test", authority.ca)).toMatchObject({ status: 200 });
    expect(hosts).toEqual([`bot.example.test:${port}`]);
    expect(await secureTo("other.example.test", authority.ca)).toEqual({ error: "ssl_error" });
    expect(await secureTo("bot.example.test", undefined)).toEqual({ error: "ssl_error" });
  });

  test("a server without it is one whose TLS fails", async () => {
    const plain = createServer((socket) => {
      socket.on("error", () => undefined);
      socket.once("data", () => socket.end("HTTP/1.1 400 Bad Request\r\n\r\n"));
    });
    servers.push(plain);
    await new Promise<void>((resolve) => plain.listen(0, "127.0.0.1", resolve));
    const { port: own } = plain.address() as { port: number };
    expect(await post(`https://127.0.0.1:${own}`)).toEqual({ error: "ssl_error" });
  });
});

function trickle(socket: Socket, begin: string, more: string): void {
  socket.write(begin);
  const timer = setInterval(() => {
    if (socket.destroyed) clearInterval(timer);
    else socket.write(more);
  }, 20);
}
