/** Runs without the log answer like those with it, and start and end between an environment's calls. */
import { expect, test } from "bun:test";
import { useDatabase } from "../../support/database";
import { expectStatus, useProgram } from "../../support/program";
import { openTracker } from "../../support/tracker";

const database = useDatabase();
const program = useProgram(database, { LOGICAL_REPLICATION_ENABLED: "false" });

const outcome = ({ status, body }: { status: number; body: { error?: string } }) =>
  `${status} ${body.error ?? ""}`.trim();

test("of several starts, and of several ends, at the same time one succeeds", async () => {
  for (let round = 0; round < 5; round++) {
    const { environmentId: envId } = await program.environment();
    const starts = await Promise.all([1, 2, 3].map(() => program.post("/startRun", { envId })));
    expect(starts.map(outcome).sort()).toEqual([
      "201",
      "400 run_already_exists",
      "400 run_already_exists",
    ]);

    const runId = starts.find(({ status }) => status === 201)?.body.runId;
    const ends = await Promise.all([1, 2, 3].map(() => program.post("/diffRun", { runId })));
    expect(ends.map(outcome).sort()).toEqual([
      "200",
      "400 run_already_completed",
      "400 run_already_completed",
    ]);
  }
});

test("starting or ending a run fails none of the environment's calls", async () => {
  const tracker = await openTracker(program);
  let over = false;
  const answers: unknown[] = [];
  const update = (n: number) =>
    `issueUpdate(id: "ENG-${n}", input: { title: "again ${answers.length}" }) { success }`;
  const comment = (n: number) =>
    `commentCreate(input: { issueId: "ENG-${n}", body: "again" }) { success }`;
  const write = async (...parts: string[]) => {
    const [a, b] = parts;
    answers.push((await tracker.ask(`mutation { a: ${a} b: ${b} }`)).data);
  };
  const writing = Promise.all([
    (async () => {
      while (!over) await write(update(1), comment(1));
    })(),
    (async () => {
      while (!over) await write(comment(2), update(2));
    })(),
  ]);
  for (let round = 0; round < 8; round++) {
    const started = await program.post("/startRun", { envId: tracker.environmentId });
    expectStatus(started, 201);
    await Bun.sleep(50);
    expectStatus(await program.post("/diffRun", { runId: started.body.runId }), 200);
  }
  over = true;
  await writing;

  expect(answers.length).toBeGreaterThan(10);
  const done = { a: { success: true }, b: { success: true } };
  expect(answers.filter((answer) => !Bun.deepEquals(answer, done))).toEqual([]);
});
