/** The explorer's files: compressed, and sent once to each client. */
import { describe, expect, test } from "bun:test";
import { brotliDecompressSync, gunzipSync, zstdDecompressSync } from "node:zlib";
import { encodingOf } from "~/site/cached";
import { useDatabase } from "../support/database";
import { startTestProgram, useProgram } from "../support/program";

const database = useDatabase();
const program = useProgram(database);

const PATHS = [
  "/docs",
  "/docs/json",
  "/docs/explorer.js",
  "/docs/explorer.css",
  "/docs/site.css",
  "/docs/guide",
  "/docs/reference/chat",
];
const get = (path: string, headers: Record<string, string> = {}) =>
  fetch(program.url + path, { headers, decompress: false });
const bytesOf = async (path: string, encoding: string) => {
  const response = await get(path, { "Accept-Encoding": encoding });
  return { headers: response.headers, bytes: Buffer.from(await response.arrayBuffer()) };
};

describe.each(PATHS)("%s", (path) => {
  test("is the same in every encoding, and smaller", async () => {
    const plain = await bytesOf(path, "identity");
    expect(plain.headers.get("content-encoding")).toBeNull();
    for (const [encoding, decompress] of [
      ["br", brotliDecompressSync],
      ["zstd", zstdDecompressSync],
      ["gzip", gunzipSync],
    ] as const) {
      const { headers, bytes } = await bytesOf(path, encoding);
      expect(headers.get("content-encoding")).toBe(encoding);
      expect(headers.get("vary")).toBe("Accept-Encoding");
      expect(bytes.byteLength).toBeLessThan(plain.bytes.byteLength);
      expect(decompress(bytes).equals(plain.bytes)).toBe(true);
    }
  });

  test("is not sent again to a client that has cached it", async () => {
    for (const encoding of ["identity", "gzip"]) {
      const tag = (await get(path, { "Accept-Encoding": encoding })).headers.get("etag") ?? "";
      expect(tag).toMatch(/^"[\w-]+"$/);
      for (const known of [tag, `W/${tag}`, `"other", ${tag}`, "*"]) {
        const answer = await get(path, { "Accept-Encoding": encoding, "If-None-Match": known });
        expect([known, answer.status, await answer.text()]).toEqual([known, 304, ""]);
        expect(answer.headers.get("etag")).toBe(tag);
      }
      const other = await get(path, { "Accept-Encoding": encoding, "If-None-Match": '"other"' });
      expect(other.status).toBe(200);
    }
  });

  test("may be cached, and is revalidated", async () => {
    const { headers } = await get(path);
    expect(headers.get("cache-control")).toMatch(/^(no-cache|max-age=3600)$/);
  });
});

test("does not depend on earlier calls", async () => {
  const before = await (await get("/docs/json")).text();
  const { routes } = program.program.app.router;
  // A stream of events does not end.
  const ends = routes.filter(({ path }) => path !== "/api/platform/events");
  for (const { path } of ends.filter(({ method }) => method === "GET"))
    await (await get(path.replace(/:\w+/g, "0"))).text();
  const other = await startTestProgram(database);
  expect(await (await fetch(`${other.url}/docs/json`)).text()).toBe(before);
});

test("has a different ETag per encoding", async () => {
  const tags = await Promise.all(
    ["identity", "gzip", "br", "zstd"].map(async (encoding) =>
      (await get("/docs/json", { "Accept-Encoding": encoding })).headers.get("etag"),
    ),
  );
  expect(new Set(tags).size).toBe(4);
});

test("accepts HEAD and GET only", async () => {
  const path = "/docs/json?first";
  const head = await fetch(program.url + path, { method: "HEAD" });
  const body = await (await get(path)).arrayBuffer();
  expect([head.status, await head.text()]).toEqual([200, ""]);
  expect(body.byteLength).toBeGreaterThan(10_000);
  const post = await fetch(program.url + path, { method: "POST" });
  expect([post.status, post.headers.get("allow")]).toEqual([405, "GET, HEAD"]);
});

test("an unknown path of the explorer is not cached", async () => {
  for (const _ of [1, 2]) expect((await get("/docs/nothing")).status).toBe(404);
});

test.each([
  ["", undefined],
  ["identity", undefined],
  ["gzip", "gzip"],
  ["GZIP", "gzip"],
  ["gzip, deflate, br, zstd", "br"],
  ["gzip, zstd", "zstd"],
  ["br;q=0.5, gzip;q=0.9", "gzip"],
  ["br;q=0, gzip", "gzip"],
  ["br ; q=0.1, zstd ; q=0.2", "zstd"],
  ["*", "br"],
  ["br;q=0, *", "zstd"],
  ["*;q=0", undefined],
  ["br;q=nonsense", undefined],
])("to Accept-Encoding %j it answers in %p", (header, encoding) => {
  expect(encodingOf(header)).toBe(encoding as never);
});
