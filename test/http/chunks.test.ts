/** Chunked bodies, divided into any pieces. */
import { expect, test } from "bun:test";
import fc from "fast-check";
import { createChunkReader } from "~/wire/head";

/** Reads `pieces` like a connection: unused bytes come again, followed by the next piece. */
function readAll(pieces: readonly Buffer[]) {
  const chunks: Uint8Array[] = [];
  const reader = createChunkReader((chunk) => chunks.push(chunk));
  let unread = Buffer.alloc(0);
  for (const piece of pieces) {
    unread = Buffer.concat([unread, piece]);
    unread = unread.subarray(reader.read(unread));
  }
  return { body: Buffer.concat(chunks), isDone: reader.isDone(), unread: unread.toString() };
}

function cut(bytes: Buffer, places: readonly number[]): Buffer[] {
  const sorted = places.map((place) => place % (bytes.byteLength + 1)).toSorted((a, b) => a - b);
  return [0, ...sorted].map((from, index) =>
    bytes.subarray(from, sorted[index] ?? bytes.byteLength),
  );
}

const written = (chunk: Uint8Array, extension: string) =>
  Buffer.concat([
    Buffer.from(`${chunk.byteLength.toString(16)}${extension}\r\n`),
    chunk,
    Buffer.from("\r\n"),
  ]);

test("are decoded however they are divided, and bytes after them stay unread", () => {
  fc.assert(
    fc.property(
      fc.array(fc.uint8Array({ minLength: 1, maxLength: 40 }), { maxLength: 6 }),
      fc.constantFrom("", ";a", ' ; a="b"'),
      fc.constantFrom("", "X-Sum: 1\r\n"),
      fc.array(fc.nat(), { maxLength: 12 }),
      (chunks, extension, trailer, places) => {
        const bytes = Buffer.concat([
          ...chunks.map((chunk) => written(chunk, extension)),
          Buffer.from(`0\r\n${trailer}\r\nGET / HTTP/1.1`),
        ]);
        expect(readAll(cut(bytes, places))).toEqual({
          body: Buffer.concat(chunks),
          isDone: true,
          unread: "GET / HTTP/1.1",
        });
      },
    ),
  );
});

test.each([
  ["no length", "\r\n"],
  ["a length that is no number", "g\r\n"],
  ["a sign", "+1\r\n"],
  ["a prefix", "0x1\r\n"],
  ["a length beyond reason", "1000000000\r\n"],
  ["a line that ends with LF", "1\na\n0\n\n"],
  ["a length of which there is more", "1\r\nab\r\n"],
  ["an extension without an end", `1;${"a".repeat(2_000)}`],
  ["a trailer without an end", `0\r\n${"a: b\r\n".repeat(200)}`],
])("with %s are rejected", (_what, text) => {
  expect(() => readAll([Buffer.from(text)])).toThrow(
    expect.objectContaining({ code: "invalid_request" }),
  );
});
