import { describe, expect, test } from "bun:test";
import { useDatabase } from "../support/database";
import { expectStatus, startTestProgram, useProgram } from "../support/program";

const CELL = "a7";
const database = useDatabase();
const outside = useProgram(database);
const inside = useProgram(database, { CELL });

/** An id of another cell. */
const FOREIGN = `b2${"0".repeat(30)}`;
const OWN = `${CELL}${"0".repeat(30)}`;
const WRONG = { ok: false, error: "wrong_cell", cell: "b2" };

describe("a server in a cell", () => {
  test("has the cell in its ids", async () => {
    const environment = await inside.environment();
    const { environmentId: envId } = environment;
    const { body: run } = await inside.post("/startRun", { envId });
    const { body: saved } = await inside.post("/templates/from-environment", {
      environmentId: envId,
      service: "chat",
      name: "of_a_cell",
    });
    const { body: snapshot } = await inside.post(`/env/${envId}/snapshots`, {});
    const { body: suite } = await inside.post("/testSuites", {
      name: "Of a cell",
      templateService: "chat",
      templateName: "chat_default",
      tests: [
        {
          name: "one",
          prompt: "Do nothing",
          expectedOutput: { closed_world: true, assertions: [] },
        },
      ],
    });
    const { body: whole } = await inside.get(`/testSuites/${suite.suiteId}?expand=true`);
    const { body: forks } = await inside.post(`/env/${envId}/fork`, {});

    const ids = [envId, run.runId, saved.templateId, snapshot.snapshotId, suite.suiteId];
    for (const id of [...ids, whole.tests[0].id, forks.environments[0].environmentId])
      expect(id).toMatch(/^a7[0-9a-f]{30}$/);
    expect(environment.environmentUrl).toContain(`/api/env/${CELL}`);
  });

  test.each([
    ["GET", `/env/${FOREIGN}`, undefined],
    ["DELETE", `/env/${FOREIGN}`, undefined],
    ["GET", `/runs/${FOREIGN}`, undefined],
    ["GET", `/testSuites/${FOREIGN}`, undefined],
    ["GET", `/templates/${FOREIGN}`, undefined],
    ["POST", "/startRun", { envId: FOREIGN }],
    ["POST", "/diffRun", { runId: FOREIGN }],
    ["POST", "/initEnv", { testId: FOREIGN, impersonateUserId: "U01AGENTONE" }],
  ])("names the other cell: %s %s", async (method, path, body) => {
    const answer = await inside.call(method, path, body);

    expectStatus(answer, 421);
    expect(answer.body).toMatchObject(WRONG);
  });

  test.each([[`/api/env/${FOREIGN}/services/chat/api/auth.test`], [`/api/env/${FOREIGN}/mcp`]])(
    "names it before it looks at the token: %s",
    async (path) => {
      const answer = await fetch(inside.url + path, {
        method: "POST",
        headers: { Authorization: "Bearer of-another-cell" },
      });

      expect(answer.status).toBe(421);
      expect(await answer.json()).toMatchObject(WRONG);
    },
  );

  test("has what nobody else has either as not found", async () => {
    expectStatus(await inside.get(`/runs/${OWN}`), 404);
    expectStatus(await inside.get("/runs/nothing"), 404);
    expectStatus(await outside.get(`/runs/${FOREIGN}`), 404);
  });

  test("finds the built-in suites, whose ids are the same everywhere", async () => {
    const { body } = await outside.get("/testSuites");
    const [first] = body.testSuites;

    expectStatus(await inside.get(`/testSuites/${first.id}`), 200);
  });

  test("says its cell where it says that it is ready, and in its metrics", async () => {
    const answer = await fetch(`${inside.url}/readyz`);

    expect(await answer.json()).toMatchObject({ status: "ready", cell: CELL });
    const metrics = await (await fetch(`${inside.url}/metrics`)).text();
    expect(metrics).toMatch(/^diorama_build_info\{.*cell="a7".*\} 1$/m);
  });
});

test("a cell is two hex digits", () => {
  expect(startTestProgram(database, { CELL: "abc" })).rejects.toThrow(
    'CELL is "abc"; needed: two lower-case hex digits',
  );
});
