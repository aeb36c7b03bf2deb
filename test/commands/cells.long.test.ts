/** Commands on two servers that share nothing but their key. */
import { beforeAll, describe, expect, test } from "bun:test";
import { useCommands } from "../support/commands";
import { useDatabase } from "../support/database";
import { expectStatus, type TestProgram, useProgram } from "../support/program";

const [one, other] = [useDatabase(), useDatabase()];
const first = useProgram(one, { CELL: "a1" });
/** With room for one attempt beside the environment of another test. */
const second = useProgram(other, { CELL: "a2", MAX_ENVIRONMENTS: "2" });
const { run } = useCommands(first);

const POST = `eval "$DIORAMA_PROMPT"`;
const post = `curl -sf "$DIORAMA_SERVICE_URL/chat.postMessage" -H "Authorization: Bearer $DIORAMA_TOKEN" -d channel=C02RANDOM -d text=done >/dev/null`;
const done = [
  { diff_type: "added", entity: "messages", where: { text: "done" }, expected_count: 1 },
];
const aTest = (name: string, prompt: string) => ({
  name,
  prompt,
  expectedOutput: { assertions: done },
});

const suitesOf = async ({ get }: TestProgram) =>
  (await get("/testSuites?name=cells")).body.testSuites as { id: string; testCount: number }[];
const runsOf = async ({ get }: TestProgram) =>
  (await get("/runs?limit=100")).body.runs as { runId: string; status: string }[];

beforeAll(async () => {
  const { environmentId } = await first.environment();
  expectStatus(
    await first.post("/templates/from-environment", {
      ...{ environmentId, service: "chat", name: "of_cells", description: "A chat of its own" },
    }),
    201,
  );
  expectStatus(
    await first.post("/testSuites", {
      name: "Of cells",
      templateService: "chat",
      templateName: "of_cells",
      impersonateUserId: "U01AGENTONE",
      tests: [aTest("posts", post), aTest("does nothing", "true"), aTest("posts too", post)],
    }),
    201,
  );
});

describe("a suite is copied", () => {
  const copying = ["suites", "copy", "Of cells"];

  test("with its template, once", async () => {
    const to = ["--to", second.url];
    const made = await run([...copying, ...to]);
    expect(made).toMatchObject({ code: 0 });
    expect(made.err).toContain("template of_cells is created");
    expect(made.err).toContain("suite Of cells is created; tests: 3 created");

    const again = await run([...copying, ...to]);
    expect(again).toMatchObject({ code: 0, out: made.out });
    expect(again.err).toContain("template of_cells is unchanged");
    expect(again.err).toContain("suite Of cells is unchanged");
    expect(await suitesOf(second)).toMatchObject([{ id: made.out.trim(), testCount: 3 }]);
  });

  test("not over another template of that name", async () => {
    const name = "of_one_cell";
    for (const [program, description] of [
      [first, "One"],
      [second, "Another one"],
    ] as const) {
      const { environmentId } = await program.environment();
      const body = { environmentId, service: "chat", name, description };
      expectStatus(await program.post("/templates/from-environment", body), 201);
    }
    const copying = ["templates", "copy", name, "--to", second.url];

    const refused = await run(copying);

    expect(refused).toMatchObject({ code: 69, out: "" });
    expect(refused.err).toContain(
      `the template ${name} is another one on ${second.url}: delete it there first`,
    );
    await second.call("DELETE", `/templates/${name}`);
    expect(await run(copying)).toMatchObject({
      code: 0,
      out: expect.stringMatching(/^a2[0-9a-f]{30}\n$/),
    });
  });
});

describe("a suite is run on both", () => {
  const running = () => [
    ...["suites", "run", "Of cells", "--url", first.url, "--url", second.url],
    ...["--command", POST, "--repeat", "4", "--parallel", "4", "--json"],
  ];

  test("with attempts on each, though one is full at times, and the verdicts of one", async () => {
    const made = await run(running());
    const { tests } = JSON.parse(made.out);
    const found = Map.groupBy(tests as any[], ({ name, verdict }) => `${name}: ${verdict}`);
    expect(Object.fromEntries([...found].map(([name, { length }]) => [name, length]))).toEqual({
      "posts: passed": 4,
      "posts too: passed": 4,
      "does nothing: failed": 4,
    });
    const [here, there] = [await runsOf(first), await runsOf(second)];
    expect(here.length + there.length).toBe(12);
    expect(Math.min(here.length, there.length)).toBeGreaterThan(0);
    expect(made.code).toBe(1);
  });
});
