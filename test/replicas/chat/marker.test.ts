/** Marks of hits: what an answer compares has a limit, whatever the query and the messages are. */
import { expect, test } from "bun:test";
import { marker } from "~/replicas/chat/api/search";
import { parseQuery } from "~/replicas/chat/search-query";

const markerOf = (query: string) => marker(parseQuery(query, "UTC", 0), true);
const phrase = (end: string) => `"${"a ".repeat(35)}b${end}"`;
const phrases = (endOf: (place: number) => string) =>
  Array.from({ length: 50 }, (_, place) => phrase(endOf(place))).join(" ");
const LONG = `${"a ".repeat(19_000)}b ${"a ".repeat(35)}b1`;
const marks = (texts: readonly string[]) => texts.filter((text) => text.includes("\uE000")).length;

test("words are marked where they stand alone", () => {
  expect(markerOf("one two* one -three")("One, twofold, someone, three")).toBe(
    "\uE000One\uE001, \uE000twofold\uE001, someone, three",
  );
});

test("a phrase counts once, however often the query has it", () => {
  const mark = markerOf(phrases(() => ""));

  expect(marks(Array.from({ length: 20 }, () => mark(LONG)))).toBe(20);
});

test("many phrases are marked in the first long texts only", () => {
  const mark = markerOf(phrases(String));
  const before = process.cpuUsage();

  expect(marks(Array.from({ length: 200 }, () => mark(LONG)))).toBeWithin(1, 3);
  // Comparing all of them takes several seconds.
  expect(process.cpuUsage(before).user / 1000).toBeLessThan(1_500);
});
