/**
 * A suite of 60 tests on two cells, each with a Postgres and two servers: the verdicts of one, and a cell that is lost
 * in the middle. `REPEAT=8` makes eight attempts at each test.
 */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { type Servers, startServers } from "../../scripts/cluster";
import { startClusters } from "../support/clusters";
import { MAIN } from "../support/commands";
import { createDatabase, dropDatabase, eventually, type TestDatabase } from "../support/database";

const TESTS = 60;
const REPEAT = Number(process.env["REPEAT"] ?? 1);
const PARALLEL = 8;
const MINUTES = 60_000 * (2 + REPEAT);

const databases: TestDatabase[] = [];
const cells: Servers[] = [];

/** Every third test asks for what the agent does not do. */
const isSolved = (n: number) => n % 3 !== 0;
const nameOf = (n: number) => `test ${n}`;
const COMMAND = `sleep 0.1; curl -sf "$DIORAMA_SERVICE_URL/chat.postMessage" -H "Authorization: Bearer $DIORAMA_TOKEN" -d channel=C02RANDOM -d text=done >/dev/null`;

beforeAll(async () => {
  const [first, second = first] = await startClusters();
  for (const [place, cluster] of [first, second].entries()) {
    if (!cluster) throw new Error("there is no Postgres");
    const database = await createDatabase(cluster);
    databases.push(database);
    const servers = await startServers({
      ...{ count: 2, databaseUrl: database.url },
      settings: { CELL: `a${place + 1}`, ENVIRONMENT_POOL_TARGETS: "chat_default:8" },
    });
    cells.push(servers);
    const created = await fetch(`${servers.url}/api/platform/testSuites`, {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify({
        ...{ name: "Sixty", templateService: "chat", templateName: "chat_default" },
        impersonateUserId: "U01AGENTONE",
        tests: Array.from({ length: TESTS }, (_, n) => ({
          ...{ name: nameOf(n), prompt: "Post it." },
          expectedOutput: {
            assertions: [
              {
                ...{ diff_type: "added", entity: "messages", expected_count: 1 },
                where: { text: isSolved(n) ? "done" : "something else" },
              },
            ],
          },
        })),
      }),
    });
    expect(created.status).toBe(201);
  }
});
afterAll(async () => {
  await Promise.all(cells.map((cell) => cell.stop()));
  await Promise.all(databases.map(dropDatabase));
});

type Attempt = { name: string; verdict: string; url: string };

function start(urls: readonly string[], ...more: readonly string[]) {
  const options = ["--repeat", `${REPEAT}`, "--parallel", `${PARALLEL}`, "--json", ...more];
  const servers = urls.flatMap((url) => ["--url", url]);
  const command = ["suites", "run", "Sixty", ...servers, "--command", COMMAND, ...options];
  return Bun.spawn(["bun", MAIN, ...command], { stdout: "pipe", stderr: "ignore" });
}
async function attemptsOf(child: ReturnType<typeof start>): Promise<Attempt[]> {
  return JSON.parse(await new Response(child.stdout).text()).tests;
}
const bothUrls = () => cells.map(({ url }) => url);

const verdictsOf = (attempts: readonly Attempt[]) =>
  attempts.map(({ name, verdict }) => `${name}: ${verdict}`);

const runsAt = async (cell: Servers) => {
  const answer = await fetch(`${cell.url}/api/platform/runs?limit=1000&count=true`);
  return ((await answer.json()) as { counts: { all: number } }).counts.all;
};

/** Runs the suite on both; in the middle all servers of the first cell are killed. */
async function withLoss(...more: readonly string[]): Promise<Attempt[]> {
  const [lost] = cells;
  if (!lost) throw new Error("there is no cell");
  const before = await runsAt(lost);
  const child = start(bothUrls(), ...more);
  await eventually(async () => {
    expect(await runsAt(lost)).toBeGreaterThan(before + TESTS / 6);
  }, 60);
  await Promise.all([lost.kill(0), lost.kill(1)]);
  const attempts = await attemptsOf(child);
  await lost.launch(0);
  await lost.launch(1);
  return attempts;
}

const right = Array.from({ length: TESTS }, (_, n) =>
  Array.from({ length: REPEAT }, () => `${nameOf(n)}: ${isSolved(n) ? "passed" : "failed"}`),
).flat();

test(
  "both cells take attempts, and give the verdicts of one",
  async () => {
    const attempts = await attemptsOf(start(bothUrls()));

    expect(verdictsOf(attempts)).toEqual(right);
    for (const { url } of cells)
      expect(attempts.filter((attempt) => attempt.url === url).length).toBeGreaterThan(TESTS / 4);
  },
  MINUTES,
);

test(
  "a cell that is killed fails its own attempts only, by name",
  async () => {
    const attempts = await withLoss();

    const failed = attempts.filter(({ verdict }) => verdict === "not gradable");
    expect(failed.length).toBeWithin(1, PARALLEL + 1);
    expect(new Set(failed.map(({ url }) => url))).toEqual(new Set([cells[0]?.url ?? ""]));
    const others = attempts.map(({ name, verdict }) => (verdict === "not gradable" ? "" : name));
    expect(verdictsOf(attempts).filter((_, n) => others[n])).toEqual(
      right.filter((_, n) => others[n]),
    );
  },
  MINUTES,
);

test(
  "with --retry-ungradable they are made on the other one",
  async () => {
    expect(verdictsOf(await withLoss("--retry-ungradable", "3"))).toEqual(right);
  },
  MINUTES,
);
