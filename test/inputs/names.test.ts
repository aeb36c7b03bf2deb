/** Names of templates, and parameters of lists. */
import { describe, expect, test } from "bun:test";
import { useSharedDatabase } from "../support/database";
import { expectRefusal, expectStatus, useProgram } from "../support/program";

const database = useSharedDatabase();
const program = useProgram(database);

const save = (environmentId: string, fields: object) =>
  program.post("/templates", { environmentId, service: "chat", name: "x", ...fields });

test.each([
  ["A"],
  ["a b"],
  ["a.b"],
  ['a"b'],
  ["a;b"],
  ["ä"],
  ["a\u202eb"],
  ["a".repeat(64)],
  ["-a"],
  ["_"],
  ["_a"],
  ["1a"],
  [" a"],
  ["a\n"],
  [""],
])("a template cannot be named %p (S073)", async (name) => {
  const { environmentId } = await program.environment();
  expectRefusal(await save(environmentId, { name }), 400, "invalid_template_name");
});

test.each(["pg_x", "public", "diorama", "env_1", "template1", "a".repeat(63)])(
  "a template may be named %p, which names no schema (S073)",
  async (name) => {
    const { environmentId } = await program.environment();
    expectStatus(await save(environmentId, { name }), 201);
    const schemas = await database.sql`select 1 from pg_namespace where nspname = ${name}`;
    expect(schemas.length).toBe(["public", "diorama"].includes(name) ? 1 : 0);
  },
);

test("the name of a built-in template is taken (S074)", async () => {
  const { environmentId } = await program.environment();
  expectRefusal(await save(environmentId, { name: "chat_default" }), 400, "template_name_exists");
});

test("of fifty concurrent requests for a name one succeeds (S075)", async () => {
  const { environmentId } = await program.environment();
  const answers = await Promise.all(
    Array.from({ length: 50 }, () => save(environmentId, { name: "contested" })),
  );
  expect(answers.filter(({ status }) => status === 201)).toHaveLength(1);
  for (const answer of answers)
    if (answer.status !== 201) expectRefusal(answer, 400, "template_name_exists");
});

test.each(["name", "description"])("a megabyte is no %s (S058)", async (field) => {
  const { environmentId } = await program.environment();
  const long = { [field]: "x".repeat(1_000_000) };
  const saved = await save(environmentId, long);
  expect([saved.status, saved.body.ok]).toEqual([400, false]);
  const suite = { name: "x", templateService: "chat", templateName: "chat_default" };
  expectRefusal(await program.post("/testSuites", { ...suite, ...long }), 400, "invalid_request");
});

describe("suites are found by a part of their name", () => {
  const suite = (name: string) =>
    program.post("/testSuites", { name, templateService: "chat", templateName: "chat_default" });
  const found = async (name: string) => {
    const answer = await program.get(`/testSuites?name=${encodeURIComponent(name)}`);
    expectStatus(answer, 200);
    return answer.body.testSuites.map((one: { name: string }) => one.name);
  };

  test.each(["%", "_", "\\", "'", ".*", "(a+)+$", "$1"])(
    "where %p is literal, not a pattern (S080)",
    async (part) => {
      await suite("plain");
      const name = `odd ${part} ${crypto.randomUUID()}`;
      expectStatus(await suite(name), 201);
      const names = await found(part);
      expect(names).toContain(name);
      for (const one of names) expect(one).toContain(part);
    },
  );

  test("which is at most as long as a name (S080)", async () => {
    expectRefusal(
      await program.get(`/testSuites?name=${"x".repeat(10_000)}`),
      400,
      "invalid_request",
    );
  });
});

const LISTS = ["/templates", "/testSuites", "/environments", "/runs"];

describe("a list", () => {
  test.each(
    ["limit=0x10", "limit=1e3", "limit=", "limit=-1", "limit=0", "limit=1001", "limit=1.5"].flatMap(
      (query) => LISTS.map((list) => [`${list}?${query}`] as const),
    ),
  )("%s is rejected (S063)", async (path) => {
    expectRefusal(await program.get(path), 400, "invalid_request");
  });

  test.each(LISTS.map((list) => [list]))("%s accepts each parameter once (S063)", async (list) => {
    expectRefusal(await program.get(`${list}?limit=1&limit=2`), 400, "invalid_request");
    expectStatus(await program.get(`${list}?limit=1`), 200);
  });

  test.each(["maybe", "1", "yes", "", "TRUE"])("expand=%s is rejected (S063)", async (expand) => {
    const { body } = await program.post("/testSuites", {
      name: "x",
      templateService: "chat",
      templateName: "chat_default",
    });
    expectRefusal(
      await program.get(`/testSuites/${body.suiteId}?expand=${expand}`),
      400,
      "invalid_request",
    );
    expectStatus(await program.get(`/testSuites/${body.suiteId}?expand=true`), 200);
  });
});
