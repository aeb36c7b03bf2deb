/** Lists whose items may be long: a page, and the statement that reads it, end at its bytes; and nothing is left out. */
import { beforeAll, expect, test } from "bun:test";
import { PAGE_LENGTH_MAX } from "~/http/page";
import { listNumbered } from "~/platform/journal/store";
import { useSharedDatabase } from "../support/database";
import { expectStatus, useProgram } from "../support/program";

const MB = 1024 * 1024;
/** Of a row of the table. */
const ROW = 0.5 * MB;

const database = useSharedDatabase();
const program = useProgram(database);
let runId: string;
beforeAll(async () => {
  const { environmentId: envId } = await program.environment();
  const started = await program.post("/startRun", { envId });
  runId = started.body.runId;
  expectStatus(await program.post("/diffRun", { runId }), 200);
});

const line = (n: number, length: number) => ({
  ...{ id: `id${n}`, at: n, ms: 1, service: "chat", via: "rest", name: `call.${n}` },
  ...{ status: 200, error: null, request: "r", trace: null, arguments: "x".repeat(length) },
});

/** Stores a row of calls with these numbers. */
async function append(numbers: readonly number[], length: number): Promise<void> {
  const lines = JSON.stringify(numbers.map((n) => line(n, length)));
  await database.sql`
    insert into diorama.calls (run_id, lines, line_count, numbers, first_number, last_number, is_numbered)
    values (${runId}, ${lines}::text::json, ${numbers.length}, ${[...numbers]}, ${Math.min(...numbers)},
      ${Math.max(...numbers)}, true)
  `;
}

test("calls, of servers whose rows overlap", async () => {
  const CALLS = 240;
  // Two servers append eight calls each at a time, of 60 KB; the third one has a call now and then.
  for (let first = 1; first <= CALLS; first += 16)
    for (const offset of [0, 1])
      await append(
        Array.from({ length: 8 }, (_, n) => first + offset + 2 * n),
        60_000,
      );
  await append([CALLS + 1, CALLS + 3], 10);
  await append([CALLS + 2], 5 * MB);

  const seen: number[] = [];
  const pages: number[] = [];
  for (let after: number | null = 0; after !== null; ) {
    const answer = await program.get(`/runs/${runId}/calls?limit=1000&after=${after}`);
    expectStatus(answer, 200);
    const { body } = answer;
    seen.push(...body.calls.map(({ n }: { n: number }) => n));
    const length = JSON.stringify(body.calls).length;
    if (body.calls.length > 1) expect(length).toBeLessThanOrEqual(PAGE_LENGTH_MAX + 2 * MB);
    pages.push(body.calls.length);
    after = body.next;
  }
  expect(seen).toEqual(Array.from({ length: CALLS + 3 }, (_, n) => n + 1));
  expect(pages.length).toBeGreaterThanOrEqual(5);

  const read = await listNumbered(database.sql, runId, {
    ...{ after: 0, until: 1_000 },
    lengthMax: PAGE_LENGTH_MAX,
  });
  const bytes = read.reduce((sum, { lines }) => sum + lines.length, 0);
  expect(bytes).toBeLessThan(PAGE_LENGTH_MAX + 2 * ROW);
  expect(bytes).toBeGreaterThan(PAGE_LENGTH_MAX - 2 * ROW);
});

test("verdicts, of which one is longer than a page", async () => {
  const VERDICTS = 12;
  const idOf = (n: number) => String(n).padStart(32, "0");
  const insert = async (n: number, length: number) => {
    const texts = JSON.stringify(["x".repeat(length)]);
    await database.sql`
      insert into diorama.evaluations (evaluation_id, run_id, created_at, expected, passed, success, score, reward,
        undone, failures, explanations)
      values (${idOf(n)}, ${runId}, now() - ${n} * interval '1 second', '{}', false, false,
        '{"passed":0,"total":1,"percent":0}', 0, null, ${texts}::text::json, '[]')
    `;
  };
  for (let n = 0; n < VERDICTS; n++) await insert(n, (n === 5 ? 5 : 1) * (PAGE_LENGTH_MAX / 4));

  const seen: number[][] = [];
  for (let cursor = ""; ; ) {
    const answer = await program.get(`/runs/${runId}/evaluations?limit=1000${cursor}`);
    expectStatus(answer, 200);
    const { evaluations, nextCursor } = answer.body;
    seen.push(
      evaluations.map(({ evaluationId }: { evaluationId: string }) => Number(evaluationId)),
    );
    if (nextCursor === undefined) break;
    cursor = `&cursor=${nextCursor}`;
  }

  expect(seen).toEqual([[0, 1, 2], [3, 4], [5], [6, 7, 8], [9, 10, 11]]);
});
