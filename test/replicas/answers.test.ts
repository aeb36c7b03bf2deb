/**
 * The answers of both replicas, as hashes: an optimization may not change a byte of one. The environments have a frozen clock
 * and a seed, so that an answer is the same in each run.
 *
 *   RENEW_ANSWERS=1 bun test test/replicas/answers.test.ts
 *
 * writes them anew, after a change that means to change answers. `KEEP_ANSWERS=FILE` writes the texts, to compare them.
 */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { createHash } from "node:crypto";
import { join } from "node:path";
import { METHODS } from "~/replicas/chat/api/index";
import { argumentsOf } from "../support/chat-calls";
import { useSharedDatabase } from "../support/database";
import { useProgram } from "../support/program";
import { ENG, MARIA } from "../support/tracker";
import { answered, idsIn, walkOf } from "../support/walk";
import recorded from "./answers.json";

const RENEW = "RENEW_ANSWERS=1 bun test test/replicas/answers.test.ts";
const FILE = join(import.meta.dir, "answers.json");
const CLOCK = { clock: { now: "2026-03-11T09:00:00Z", mode: "frozen" }, seed: 7 };
const known: Readonly<Record<string, string>> = recorded;
const database = useSharedDatabase();
const program = useProgram(database);
const hashes: Record<string, string> = {};
const texts: Record<string, string> = {};

afterAll(async () => {
  const kept = process.env["KEEP_ANSWERS"];
  if (kept) await Bun.write(kept, JSON.stringify(texts, null, 1));
  if (process.env["RENEW_ANSWERS"]) await Bun.write(FILE, `${JSON.stringify(hashes, null, 2)}\n`);
});

/** Adds an answer, without what differs between two environments. */
function note(name: string, environment: { environmentId: string; token: string }, text: string) {
  const plain = text
    .replaceAll(environment.environmentId, "ENVIRONMENT")
    .replaceAll(environment.token, "TOKEN")
    .replaceAll(/(?:http|ws):\/\/(?:localhost|127\.0\.0\.1|0\.0\.0\.0):\d+/g, "SERVER")
    .replaceAll(/\b[0-9a-f]{32,}\b/g, "SECRET");
  texts[name] = `${texts[name] ?? ""}${plain}\n`;
}

function expectKnown(name: string): void {
  hashes[name] = createHash("sha256")
    .update(texts[name] ?? "")
    .digest("hex")
    .slice(0, 16);
  if (process.env["RENEW_ANSWERS"]) return;
  expect({ [name]: hashes[name] }, `changed, or new: ${RENEW}`).toEqual({
    [name]: known[name] ?? "none",
  });
}

describe("the tracker answers as recorded", () => {
  let ids = new Map<string, string>();
  let environment: any;
  const ask = async (name: string, query: string) => {
    const response = await fetch(`${program.url}${environment.environmentUrl}/graphql`, {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify({ query }),
    });
    note(name, environment, await response.text());
  };

  const CHANGES = [
    `issueCreate(input: { teamId: "${ENG}", title: "One", description: "by @maria", priority: 2 })`,
    `issueUpdate(id: "ENG-1", input: { title: "Two", priority: 1, estimate: 3 })`,
    `commentCreate(input: { issueId: "ENG-1", body: "hello @maria" })`,
    `issueCreate(input: { teamId: "nothing", title: "Wrong" })`,
    `issueArchive(id: "ENG-2")`,
    `projectCreate(input: { teamIds: ["${ENG}"], name: "Three" })`,
    `issueLabelCreate(input: { name: "four", teamId: "${ENG}" })`,
    `reactionCreate(input: { issueId: "ENG-1", emoji: "tada" })`,
  ];

  beforeAll(async () => {
    environment = await program.environment({
      ...{ templateService: "tracker", templateName: "tracker_expanded" },
      impersonateUserId: MARIA,
      ...CLOCK,
    });
    for (const change of CHANGES)
      await ask("changes", `mutation { ${change} { success lastSyncId } }`);
    ids = await idsIn(database.sql, environment.schemaName);
  });

  test("to changes", () => expectKnown("changes"));

  test.each(answered.map((field) => [field.name, field] as const))("to %s", async (name, field) => {
    for (const document of walkOf(ids).below(field)) await ask(`query ${name}`, document);

    if (texts[`query ${name}`] !== undefined) expectKnown(`query ${name}`);
  });
});

describe("chat answers as recorded", () => {
  let environment: any;
  beforeAll(async () => {
    environment = await program.environment(CLOCK);
  });

  // In the order of their names: each finds what those before it did.
  test.each([...METHODS.values()].map((method) => [method.name, method] as const))(
    "to %s",
    async (name, method) => {
      const call = async (body: object) => {
        const response = await fetch(`${program.url}${environment.environmentUrl}/${name}`, {
          method: "POST",
          headers: { "Content-Type": "application/json; charset=utf-8" },
          body: JSON.stringify(body),
        });
        note(name, environment, await response.text());
      };
      await call(argumentsOf(method));
      await call({});

      expectKnown(name);
    },
  );
});
