/** Compares the tests of this folder with the definitions: each method has a test, each documented error a case. */
import { describe, expect, test } from "bun:test";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { WebClient } from "@slack/web-api";
import { METHODS } from "~/replicas/chat/api/index";
import { coverage } from "~/replicas/chat/coverage";
import { refusalOf } from "~/replicas/chat/unsupported-methods";
import { DOCUMENTED } from "./documented";
import { REFUSALS } from "./refusals/index";

/** Documented errors that cannot occur here. */
const CANNOT_ARISE: Readonly<Record<string, readonly string[]>> = {
  // The table of emoji always exists.
  "emoji.list": ["unable_to_fetch_custom_emojis"],
  // An existing snooze can always be ended.
  "dnd.endSnooze": ["snooze_end_failed"],
};

/** The names of all methods that a client offers. */
function offered(client: object, prefix = "", seen = new Set<unknown>()): string[] {
  return Object.entries(client).flatMap(([key, value]) => {
    const name = prefix ? `${prefix}.${key}` : key;
    if (typeof value === "function") return prefix ? [name] : [];
    if (typeof value !== "object" || value === null || seen.has(value)) return [];
    seen.add(value);
    return offered(value, name, seen);
  });
}

const FAMILIES = /^(logger|requestQueue|axios|retryConfig|agentOptions)/;
const NAMES = offered(new WebClient()).filter((name) => !FAMILIES.test(name));

const tests = readdirSync(import.meta.dir)
  .filter((file) => file.endsWith(".test.ts") && !/^(coverage|refusals)/.test(file))
  .map((file) =>
    readFileSync(join(import.meta.dir, file), "utf8").replace(/^\s*(\/\/|\*).*$/gm, ""),
  )
  .join("\n");

/** Called by its path on the client, or by its name. */
const isTested = (method: string) =>
  tests.includes(`.${method}(`) || tests.includes(`("${method}"`) || tests.includes(`["${method}"`);

describe("coverage", () => {
  test("every method of the official client has an answer", () => {
    const unknown = NAMES.filter(
      (name) =>
        !METHODS.has(name) &&
        refusalOf(name).code === "unknown_method" &&
        name !== "files.uploadV2",
    );
    expect(NAMES.length).toBeGreaterThan(270);
    expect(unknown).toEqual([]);
  });

  test("every method of tier 1 and 2 is called by a test", () => {
    const untested = [...METHODS.values()].filter(({ name, tier }) => tier < 3 && !isTested(name));
    expect(untested.map(({ name }) => name)).toEqual([]);
  });

  test("every documented method exists, and every documented error is provoked", () => {
    const missing = Object.entries(DOCUMENTED).flatMap(([method, codes]) => {
      if (!METHODS.has(method)) return [method];
      const provoked = new Set([
        ...Object.keys(REFUSALS[method] ?? {}),
        ...(CANNOT_ARISE[method] ?? []),
      ]);
      return codes
        .split(" ")
        .filter((code) => code && !provoked.has(code))
        .map((code) => `${method}: ${code}`);
    });
    expect(missing).toEqual([]);
  });

  test("lists the tier, arguments and state of each method", () => {
    const update = coverage().find(({ method }) => method === "chat.update");

    expect(update).toMatchObject({ tier: 1, state: "full" });
    expect(update?.arguments).toContainEqual({ name: "channel", required: true });
    expect(coverage()).toContainEqual(
      expect.objectContaining({
        method: "admin.*",
        state: "refused",
        error: "not_allowed_token_type",
      }),
    );
  });
});
