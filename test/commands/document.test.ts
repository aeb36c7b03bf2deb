/** Documents that people write. */
import { afterEach, beforeEach, expect, type Mock, spyOn, test } from "bun:test";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { readDocument } from "~/commands/document";

/** A terminal gets what it shows in another way. */
const { isTTY } = process.stderr;
let folder = "";
let written: Mock<typeof console.error>;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "diorama-document-"));
  process.stderr.isTTY = false;
  written = spyOn(console, "error").mockImplementation(() => undefined);
});
afterEach(async () => {
  written.mockRestore();
  process.stderr.isTTY = isTTY;
  await rm(folder, { recursive: true });
});

async function read(text: string) {
  const path = join(folder, "suite.yaml");
  await Bun.write(path, text);
  const content = await readDocument(path);
  return { content, notices: written.mock.calls.map(([line]) => `${line}`.replace(path, "file")) };
}

test.each([
  ["a: 1\nb: [1, 2\nc: 3\n", 3],
  ["a: 1\nb: @x\n", 2],
  ["a: 1\nb:\n\t- b\n", 3],
  ["a: 1\nb: c: d\n", 2],
  ["a: 'x\nb: 2\n", 3],
  ["a: &x 1\nb: *y\n", 2],
  ["tests:\n  - name: x\n   prompt: y\n", 3],
  ['{"a": 1,\n "b" 2}', 2],
])("the mistake in %j is reported with its line", async (text, line) => {
  await expect(read(text)).rejects.toThrow(`suite.yaml:${line}:`);
});

test("a comment that cuts off a prompt gets a warning, in any file and however it is indented", async () => {
  const { content, notices } = await read(`name: First # a note
tests:
  - name: Hello
    prompt: Say hello in #general.
  - prompt: Say
      hello in #random please
  - prompt: Say hello # in any channel
channel: #general
`);

  expect(content["tests"]).toMatchObject([
    { prompt: "Say hello in" },
    { prompt: "Say hello in" },
    { prompt: "Say hello" },
  ]);
  const rest = "is a comment, and not in the text: put the text in quotes";
  expect(notices).toEqual([
    `warning: file:4: prompt: "#general." ${rest}`,
    `warning: file:5: prompt: "#random please" ${rest}`,
    `warning: file:7: prompt: "# in any channel" ${rest}`,
    `warning: file:8: channel: "#general" ${rest}`,
  ]);
});

test("texts in quotes, blocks and comments that are meant get none", async () => {
  const { content, notices } = await read(`# A suite for #general.
name: First # a note
prompt: "Say hello in #general." # why
description: 'In #general'
text: a#b
block: |
  Say hello in #general.
limit: 5 # the most
`);

  expect(content).toMatchObject({
    prompt: "Say hello in #general.",
    block: "Say hello in #general.\n",
    text: "a#b",
  });
  expect(notices).toEqual([]);
});

test("of many warnings some are shown", async () => {
  const { notices } = await read(`tests:\n${"  - prompt: in #general\n".repeat(30)}`);

  expect(notices).toHaveLength(21);
  expect(notices.at(-1)).toBe("warning: file: and 10 more");
});
