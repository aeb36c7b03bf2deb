/** The images of a text: found in time linear in the text, from any input of an agent. */
import { expect, test } from "bun:test";
import { imagesOf } from "~/replicas/tracker/mcp/markdown";
import { expectLinear } from "../../../support/growth";

test.each([
  ["![](a)", ["a"]],
  ["text ![one\ntwo](a) ![b] ![c](c)", ["a", "c"]],
  ["![a]( <b c> )", ["b"]],
  ['![a](b "title") (c)', ["b"]],
  ["![a](b\n)", ["b"]],
  ["![a](<>)", ["<"]],
  ["![a](b]c)", ["b]c"]],
  ["![a ![b](c)", ["c"]],
  ["![a] (b) ![c](d)", ["d"]],
  ["![a]() ![b]( ) ![c](d)", ["d"]],
  ["![a](b ![c](d)", ["b"]],
  ["![a](b ![c](d", []],
  ["![a](b)![c](d)", ["b", "d"]],
  ["[a](b) !(c) ![d", []],
])("the images of %j", (markdown, addresses) => {
  expect(imagesOf(markdown)).toEqual(addresses);
});

test.each(["![](a", "![", "![](", "![](a ", "![]( ", "![](a)", "![]"])(
  "a long text of %j takes time in proportion to its length",
  (part) => expectLinear(imagesOf, part, 250_000),
);

test.each(["![", "![](a "])(
  "a closed text of many %j takes time in proportion to its length",
  (part) => expectLinear((starts) => imagesOf(`${starts}](x)`), part, 250_000),
);
