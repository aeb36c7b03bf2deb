/** Runs that start in the transaction that creates their environments. */
import { expect, test } from "bun:test";
import type { Capture, Start, Started, StartingRun } from "~/capture/capture";
import type { Sql } from "~/db/connect";
import { createStarting } from "~/platform/runs/starting";
import { randomId } from "~/source";
import { useDatabase } from "../../support/database";

const database = useDatabase();
const PLACES = ["a", "b", "c"].map((id) => ({ environmentId: id, schemaName: `env_${id}` }));
const ORIGIN = { templateSchema: "tpl", schemaName: "env", service: "chat" };

test("leave nothing behind while capture is not ready, and begin all with the environments when it is", async () => {
  const { sql } = database;
  const rows = async () => ({
    environments: (await sql`select from diorama.environments`).count,
    runs: (await sql`select run_id from diorama.runs order by environment_id`).map(
      (row) => row["run_id"],
    ),
  });
  const outcomes: Started[] = [];
  const recorded: StartingRun[] = [];
  const capture = {
    kind: "log",
    async start(
      starting: readonly StartingRun[],
      insert: (sql: Sql, start: Start) => Promise<Started>,
    ) {
      recorded.push(...starting);
      outcomes.push(await insert(sql, { ready: sql`false`, markOf: () => sql`null` }));
      expect(await rows()).toEqual({ environments: 0, runs: [] });
      outcomes.push(await insert(sql, { ready: sql`true`, markOf: () => sql`null` }));
      return true;
    },
  } as unknown as Capture;
  const templates = { tablesOf: async () => [{ name: "messages", key: ["ts"] }] } as any;
  const { planRuns } = createStarting({ pool: sql, templates, capture, newId: randomId });

  const { runOf, startWith } = await planRuns("alice", ORIGIN, PLACES);
  await startWith(async (tx) => {
    for (const { environmentId, schemaName } of PLACES)
      await tx`
        insert into diorama.environments (
          environment_id, user_id, key_id, service, template_name, schema_name, acting_user_id, token_hash, expires_at
        )
        values (${environmentId}, 'alice', 'key', 'chat', 'none', ${schemaName}, 'U1', ${environmentId}, now() + interval '1 hour')
      `;
  });

  expect(outcomes).toEqual(["not ready", "started"]);
  expect(await rows()).toEqual({
    environments: PLACES.length,
    runs: PLACES.map(({ environmentId }) => runOf.get(environmentId) ?? ""),
  });
  expect(recorded.map(({ run, schema, keys }) => ({ run, schema, keys }))).toEqual(
    PLACES.map(({ environmentId, schemaName }) => ({
      run: runOf.get(environmentId) ?? "",
      schema: schemaName,
      keys: { messages: ["ts"] },
    })),
  );
});
