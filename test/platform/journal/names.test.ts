/** Calls of GraphQL by the fields that they resolve, in the journal, in assertions and in faults alike. */
import { describe, expect, test } from "bun:test";
import { useSharedDatabase } from "../../support/database";
import { expectStatus, useProgram } from "../../support/program";
import { ENG, openTracker } from "../../support/tracker";

const CREATE = `issueCreate(input: { teamId: "${ENG}", title: "hidden" }) { success }`;

const CREATING = [
  ["plain", `mutation { ${CREATE} }`],
  ["under an alias", `mutation { viewer: ${CREATE} }`],
  ["in a fragment", `mutation { ...F } fragment F on Mutation { ${CREATE} }`],
  ["in an inline fragment", `mutation { ... on Mutation { ${CREATE} } }`],
  ["in an inline fragment without a type", `mutation { ... { ${CREATE} } }`],
  [
    "in a fragment of a fragment",
    `mutation { ...F } fragment F on Mutation { ...G } fragment G on Mutation { ${CREATE} }`,
  ],
  ["by a condition", `mutation($yes: Boolean!) { ... @include(if: $yes) { ${CREATE} } }`],
  [
    "by a default",
    `mutation($no: Boolean = false) { ...F @skip(if: $no) } fragment F on Mutation { ${CREATE} }`,
  ],
] as const;

describe("issueCreate", () => {
  const database = useSharedDatabase();
  const program = useProgram(database);

  test.each(CREATING)("%s is named, counted, and gets its faults", async (_how, query) => {
    const tracker = await openTracker(program);
    const { environmentId: envId } = tracker;
    const expectedOutput = (count: number) => ({
      assertions: [{ diff_type: "called", entity: "issueCreate", expected_count: count }],
    });
    const variables = query.includes("$yes") ? { yes: true } : {};
    const started = await program.post("/startRun", { envId });
    expectStatus(started, 201);
    const { runId } = started.body;
    await tracker.data(query, variables);
    const faults = [{ operation: "issueCreate", fault: "server_error" }];
    expectStatus(await program.call("PUT", `/env/${envId}/faults`, { faults }), 200);

    const rejected = await tracker.ask(query, variables);

    expect(rejected).toMatchObject({ errors: [{ message: "Internal server error" }] });
    const verdict = await program.post("/evaluateRun", {
      runId,
      expectedOutput: expectedOutput(2),
    });
    expect(verdict.body).toMatchObject({ passed: true });
    const { body: page } = await program.get(`/runs/${runId}/calls`);
    expect(page.calls).toMatchObject([
      { name: "issueCreate", fault: null, error: null },
      { name: "issueCreate", fault: "server_error" },
    ]);
    const { body: ended } = await program.get(`/results/${runId}`);
    expect(ended.diff.inserts.filter((row: any) => row.__table__ === "issues")).toHaveLength(1);
  });

  test("is not named where it is not called", async () => {
    const tracker = await openTracker(program);
    const { environmentId: envId } = tracker;
    const { runId } = (await program.post("/startRun", { envId })).body;
    const faults = [{ operation: "issueCreate", fault: "server_error" }];
    expectStatus(await program.call("PUT", `/env/${envId}/faults`, { faults }), 200);
    await tracker.data(
      `mutation($yes: Boolean = true) {
        ... @skip(if: $yes) { ${CREATE} }
        issueUpdate(id: "ENG-1", input: { title: "x" }) { success }
      }`,
    );
    await tracker.ask("query issueCreate { nothing }");

    await program.post("/diffRun", { runId });
    const { body: page } = await program.get(`/runs/${runId}/calls`);
    expect(page.calls.map(({ name, fault }: any) => [name, fault])).toEqual([
      ["issueUpdate", null],
      ["graphql", null],
    ]);
  });
});
