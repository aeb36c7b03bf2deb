import { describe, expect, test } from "bun:test";
import { findBlockProblems, toStoredBlocks } from "~/replicas/chat/blocks";
import { REAL } from "~/source";

const plain = (text: string) => ({ type: "plain_text", text });
const mrkdwn = (text: string) => ({ type: "mrkdwn", text });
const button = { type: "button", text: plain("Go"), action_id: "go" };
const option = { text: plain("A"), value: "a" };
const many = <T>(count: number, item: T) => Array.from({ length: count }, () => item);

describe("blocks are accepted", () => {
  test.each([
    [{ type: "divider" }],
    [{ type: "header", text: plain("x".repeat(150)) }],
    [{ type: "section", text: mrkdwn("x".repeat(3000)), accessory: button }],
    [{ type: "section", fields: many(10, mrkdwn("x")) }],
    [{ type: "actions", elements: many(25, button) }],
    [{ type: "actions", elements: [{ type: "static_select", options: [option] }] }],
    [
      {
        type: "context",
        elements: [mrkdwn("x"), { type: "image", image_url: "https://a.test", alt_text: "x" }],
      },
    ],
    [{ type: "image", image_url: "https://a.test/a.png", alt_text: "x", title: plain("A") }],
    [
      {
        type: "input",
        label: plain("Name"),
        element: { type: "plain_text_input", multiline: true },
      },
    ],
    [{ type: "markdown", text: "**x**" }],
    [
      {
        type: "rich_text",
        elements: [
          {
            type: "rich_text_section",
            elements: [{ type: "text", text: "x", style: { bold: true } }],
          },
          {
            type: "rich_text_list",
            style: "bullet",
            elements: [{ type: "rich_text_section", elements: [{ type: "user", user_id: "U1" }] }],
          },
        ],
      },
    ],
  ])("as %j", (block) => {
    expect(findBlockProblems([block])).toEqual([]);
  });
});

describe("blocks are rejected", () => {
  test.each([
    ["no block", 7, "must be an object", "/blocks/0"],
    ["an unknown type", { type: "jukebox" }, "unsupported type: jukebox", "/blocks/0/type"],
    [
      "the name of a property",
      { type: "toString" },
      "unsupported type: toString",
      "/blocks/0/type",
    ],
    [
      "nothing in a section",
      { type: "section" },
      "must provide at least one of: text, fields",
      "/blocks/0",
    ],
    [
      "a missing field",
      { type: "section", text: { type: "mrkdwn" } },
      "missing required field: text",
      "/blocks/0/text",
    ],
    [
      "a long header",
      { type: "header", text: plain("x".repeat(151)) },
      "must be less than 151 characters",
      "/blocks/0/text/text",
    ],
    [
      "an empty text",
      { type: "section", text: mrkdwn("") },
      "must be more than 0 characters",
      "/blocks/0/text/text",
    ],
    [
      "a long text",
      { type: "section", text: mrkdwn("x".repeat(3001)) },
      "must be less than 3001 characters",
      "/blocks/0/text/text",
    ],
    [
      "too many fields",
      { type: "section", fields: many(11, mrkdwn("x")) },
      "no more than 10 items allowed",
      "/blocks/0/fields",
    ],
    [
      "too many elements",
      { type: "actions", elements: many(26, button) },
      "no more than 25 items allowed",
      "/blocks/0/elements",
    ],
    [
      "a long button",
      { type: "actions", elements: [{ type: "button", text: plain("x".repeat(76)) }] },
      "must be less than 76 characters",
      "/blocks/0/elements/0/text/text",
    ],
    [
      "a long block_id",
      { type: "divider", block_id: "x".repeat(256) },
      "must be less than 256 characters",
      "/blocks/0/block_id",
    ],
    [
      "an image without a picture",
      { type: "image", alt_text: "x" },
      "must provide at least one of: image_url, slack_file",
      "/blocks/0",
    ],
  ])("for %s", (_why, block, what, pointer) => {
    expect(findBlockProblems([block])).toEqual([{ what, pointer }]);
  });

  test("for more than fifty, or duplicate ids", () => {
    expect(findBlockProblems(many(51, { type: "divider" }))).toEqual([
      { what: "no more than 50 items allowed", pointer: "/blocks" },
    ]);
    expect(
      findBlockProblems([{ type: "divider" }, ...many(2, { type: "divider", block_id: "same" })]),
    ).toEqual([{ what: "block_id must be unique", pointer: "/blocks/2/block_id" }]);
  });
});

test("a block without an id gets one, and keeps its own", () => {
  const [first, second] = toStoredBlocks({ source: REAL }, [
    { type: "divider" },
    { type: "divider", block_id: "b" },
  ]);

  expect(first?.block_id).toMatch(/^[0-9a-f]{5}$/);
  expect(second).toEqual({ type: "divider", block_id: "b" });
});
