/** Faults of environments that several servers serve, and without logical replication. */
import { expect, test } from "bun:test";
import { useDatabase } from "../support/database";
import { expectStatus, useProgram } from "../support/program";

const database = useDatabase();
const POST = "chat.postMessage";
const say = { channel: "C01GENERAL", text: "hello" };
const settings = { LOGICAL_REPLICATION_ENABLED: "false" };
const servers = [useProgram(database, settings), useProgram(database, settings)] as const;
const [first, second] = servers;

test("calls that begin after the answer have the new faults, on any server", async () => {
  const environment = await first.environment();
  const path = `/env/${environment.environmentId}/faults`;
  for (let turn = 0; turn < 10; turn++) {
    const faults = turn % 2 === 0 ? [{ fault: "server_error" }] : [];
    const changing = servers[turn % 3 === 0 ? 0 : 1];
    expectStatus(await changing.call("PUT", path, { faults }), 200);
    const answers = await Promise.all(
      [first, second, first, second].map((server) => server.chat(environment, POST, say)),
    );
    expect(answers.map(({ ok }) => ok)).toEqual(answers.map(() => faults.length === 0));
  }
});

test("calls to several servers are counted exactly", async () => {
  const environment = await first.environment({
    faults: [{ fault: "server_error", method: POST, when: { after: 10, times: 9 } }],
  });
  const answers = await Promise.all(
    Array.from({ length: 60 }, (_, n) =>
      (n % 2 === 0 ? first : second).chat(environment, POST, say),
    ),
  );
  expect(answers.filter(({ ok }) => !ok)).toHaveLength(9);
  const { body } = await second.get(`/env/${environment.environmentId}/faults`);
  expect(body.faults[0]).toMatchObject({ matched: 60, injected: 9 });
});

test("a lost answer is in the diff of a run that compares snapshots", async () => {
  const environment = await first.environment();
  const { environmentId: envId } = environment;
  const fault = { fault: "lost_answer", method: POST, when: { times: 1 } };
  await first.call("PUT", `/env/${envId}/faults`, { faults: [fault] });
  const { runId } = (await first.post("/startRun", { envId })).body;
  expect((await second.chat(environment, POST, say)).error).toBe("service_unavailable");
  expect((await second.chat(environment, POST, say)).ok).toBe(true);
  const { body } = await first.post("/diffRun", { runId });
  expect(body.diff.inserts).toHaveLength(2);
});
