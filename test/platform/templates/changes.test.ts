/** Changes and deletion of templates: by their owners, while nothing needs them. */
import { describe, expect, test } from "bun:test";
import { eventually, useDatabase } from "../../support/database";
import { expectRefusal, expectStatus, startTestProgram, useProgram } from "../../support/program";
import { useUsers } from "../../support/users";

const database = useDatabase();
const program = useProgram(database);
const { ann, bob } = useUsers(database, "ann", "bob");

const importing = async (name: string, fields = {}, as = ann) => {
  const seed = { extends: "chat_base" };
  const answer = await program.post(
    "/templates/import",
    { name, service: "chat", seed, ...fields },
    as,
  );
  expectStatus(answer, 201);
  return answer.body as { templateId: string; location: string };
};
const patch = (name: string, body: object, as = ann) =>
  program.call("PATCH", `/templates/${name}`, body, as);
const remove = (name: string, as = ann) =>
  program.call("DELETE", `/templates/${name}`, undefined, as);
const suite = async (name: string, templateName: string, fields = {}, as = ann) => {
  const wanted = { name, templateService: "chat", templateName, ...fields };
  const answer = await program.post("/testSuites", wanted, as);
  expectStatus(answer, 201);
  return answer.body.suiteId as string;
};
const aTest = (name: string, templateName: string) => ({
  ...{ name, templateName, prompt: "p" },
  expectedOutput: { assertions: [{ diff_type: "added", entity: "messages" }] },
});
const schemaExists = async (schema: string) =>
  (await database.sql`select from pg_namespace where nspname = ${schema}`).count > 0;

describe("a template", () => {
  test("changes its description and its visibility", async () => {
    const { templateId } = await importing("described");
    const changed = await patch("described", { description: "Better" });
    expectStatus(changed, 200);
    expect(changed.body).toMatchObject({
      id: templateId,
      description: "Better",
      visibility: "private",
    });
    expectRefusal(await program.get("/templates/described", bob), 404, "template_not_found");
    await patch(templateId, { visibility: "public" });
    expect((await program.get("/templates/described", bob)).body).toMatchObject({
      description: "Better",
      visibility: "public",
    });
    expectStatus(await patch("described", { visibility: "private" }), 200);
    expectRefusal(await program.get("/templates/described", bob), 404, "template_not_found");
  });

  test("does not take the public name of another", async () => {
    await importing("wanted");
    await importing("wanted", { visibility: "public" }, bob);
    expectRefusal(await patch("wanted", { visibility: "public" }), 400, "template_name_exists");
  });

  test("stays public while others need it", async () => {
    await importing("shared", { visibility: "public" });
    await suite("Own and private", "shared");
    const open = await suite("Open", "shared", { visibility: "public" });
    await suite("Bob's secret", "shared", {}, bob);
    const environment = await program.environment({ templateName: "shared" }, bob);

    expectRefusal(
      await patch("shared", { visibility: "private" }),
      400,
      "invalid_request",
      "The template cannot become private: it is needed by suite Open, 2 of other users",
    );
    expectStatus(await patch("shared", { visibility: "public", description: "x" }), 200);
    await program.call("DELETE", `/env/${environment.environmentId}`, undefined, bob);
    await program.call("DELETE", `/testSuites/${open}`, undefined, ann);
    expectRefusal(
      await patch("shared", { visibility: "private" }),
      400,
      "invalid_request",
      "The template cannot become private: it is needed by 1 of other users",
    );
  });

  test("is deleted with its schema, and its name is free", async () => {
    const { templateId, location } = await importing("gone");
    await eventually(async () => {
      const environment = await program.environment({ templateName: "gone" }, ann);
      await program.call("DELETE", `/env/${environment.environmentId}`, undefined, ann);
    });

    const deleted = await remove("gone");

    expectStatus(deleted, 200);
    expect(deleted.body).toEqual({ templateId, status: "deleted" });
    expect(await schemaExists(location)).toBe(false);
    expectRefusal(await program.get("/templates/gone", ann), 404, "template_not_found");
    const wanted = {
      templateService: "chat",
      templateName: "gone",
      impersonateUserId: "U01AGENTONE",
    };
    expectRefusal(await program.post("/initEnv", wanted, ann), 404, "template_not_found");
    await eventually(async () => {
      const left =
        await database.sql`select from diorama.schemas where template_schema = ${location}`;
      expect(left.count).toBe(0);
    });
    await importing("gone");
  });

  test("is not deleted while a suite, a test or an environment needs it", async () => {
    await importing("needed");
    const environment = await program.environment({ templateName: "needed" }, ann);
    const ids = [
      await suite("Whole", "needed"),
      await suite("Part", "chat_base", {
        tests: [aTest("one", "needed"), aTest("two", "chat_base")],
      }),
    ];

    expectRefusal(
      await remove("needed"),
      400,
      "invalid_request",
      `The template cannot be deleted: it is needed by test one of Part, suite Whole, environment ${environment.environmentId}`,
    );

    for (const id of ids) await program.call("DELETE", `/testSuites/${id}`, undefined, ann);
    await program.call("DELETE", `/env/${environment.environmentId}`, undefined, ann);
    expectStatus(await remove("needed"), 200);
  });

  test("is not deleted while the pool has a target for it", async () => {
    await importing("pooled");
    const other = await startTestProgram(database, { ENVIRONMENT_POOL_TARGETS: "pooled:1" });
    const answer = await other.call("DELETE", "/templates/pooled", undefined, ann);
    await other.program.stop();
    expectRefusal(
      answer,
      400,
      "invalid_request",
      "The template cannot be deleted: it is needed by the pool (ENVIRONMENT_POOL_TARGETS)",
    );
  });

  test("is not needed by a suite whose owner has another one of that name", async () => {
    await importing("both", {}, bob);
    await importing("both", { visibility: "public" });
    await suite("Bob's both", "both", {}, bob);
    expectStatus(await remove("both"), 200);
    expectStatus(await program.get("/templates/both", bob), 200);
  });
});

test("built-in templates, and public ones of others, are neither changed nor deleted", async () => {
  await importing("anns_public", { visibility: "public" });
  for (const [name, why] of [
    ["anns_public", "only its owner changes it"],
    ["chat_default", "a built-in one cannot be changed"],
  ] as const)
    for (const answer of [await patch(name, { description: "x" }, bob), await remove(name, bob)])
      expectRefusal(answer, 404, "template_not_found", `You have no template "${name}"; ${why}`);
  await importing("hidden");
  expectRefusal(
    await remove("hidden", bob),
    404,
    "template_not_found",
    expect.stringContaining('There is no template "hidden"; there are '),
  );
});
