import { expect } from "bun:test";

/** Addresses of the real services; pages of the tracker's workspace are mere labels that nothing is sent to. */
const REAL =
  /https?:\/\/(?:[\w-]+\.)*(?:slack\.com|slack-edge\.com|slack-files\.com|linear\.app)\b[^"\s\\]*/g;
const LABEL = /^https:\/\/linear\.app\/[\w-]+\//;

/** Expects that an answer leads to no host of the real services, apart from what the `request` itself named. */
export function expectOwnHosts(answer: string, request: string): void {
  const named = answer.match(REAL) ?? [];
  expect(named.filter((url) => !LABEL.test(url) && !request.includes(url))).toEqual([]);
}
