/**
 * Random calls to the services of a world, in environments that are new, forked, reset or moved in time: the diff of a run
 * is the difference of two dumps, each change belongs to one call, and a new or reset schema equals its template.
 */
import { expect, test } from "bun:test";
import fc from "fast-check";
import { difference, keysOf, sorted, stateOf } from "../../scripts/oracle";
import { useSharedDatabase } from "../support/database";
import { useProgram } from "../support/program";
import { bare, expectOwners, origin, perform, prepare, step, templateOf } from "../support/worlds";

const database = useSharedDatabase();
const program = useProgram(database);

const SEQUENCES = Number(process.env["MODEL_RUNS"] ?? 10);

test("the diff of a world is the difference of two dumps", async () => {
  const steps = fc.array(step, { minLength: 1, maxLength: 12 });
  await fc.assert(
    fc.asyncProperty(origin, steps, steps, async (how, before, during) => {
      const { world, made } = await prepare(program, how, before);
      const { schemaName: schema, environmentId: envId } = world;
      const keys = await keysOf(database.sql, schema);
      expect(Object.keys(keys)).toEqual(
        expect.arrayContaining(["chat_messages", "tracker_issues"]),
      );
      const old = await stateOf(database.sql, schema, keys);
      if (how === "new" || how === "reset")
        expect(old).toEqual(await templateOf(database.sql, schema, keys));
      const { runId } = (await program.post("/startRun", { envId, journal: "calls" })).body;
      for (const each of during) await perform(program, world, each, made);
      const now = await stateOf(database.sql, schema, keys);

      const { body } = await program.post("/diffRun", { runId, include: ["clock"] });

      expect(sorted(bare(body.diff))).toBe(sorted(difference(old, now, keys)));
      await expectOwners(program, runId);
    }),
    { numRuns: SEQUENCES, seed: 20_261_125 },
  );
});
