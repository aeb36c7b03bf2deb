import { expect, test } from "bun:test";
import { eventually, useDatabase } from "../support/database";
import { startTestProgram } from "../support/program";

const database = useDatabase();

test("the pool of a development server grows with use, and shrinks without", async () => {
  const start = (idleSeconds: string) =>
    startTestProgram(database, {
      ENVIRONMENT_POOL_TARGETS: "",
      MAINTENANCE_IDLE_TIMEOUT: idleSeconds,
    });
  const server = await start("3600");
  const ready = async () => {
    const [row] = await database.sql`
      select count(*)::int as count from diorama.schemas s
      join diorama.templates t on t.schema_name = s.template_schema
      where t.name = 'chat_default' and s.state = 'ready'
    `;
    return row?.["count"];
  };
  const used = await Promise.all(Array.from({ length: 7 }, () => server.environment()));

  await Promise.all(
    used.map(({ environmentId }) => server.call("DELETE", `/env/${environmentId}`)),
  );

  await eventually(async () => expect(await ready()).toBeGreaterThanOrEqual(7));
  await server.program.maintenance.cycle();
  expect(await ready()).toBeGreaterThanOrEqual(7);
  await server.program.stop();
  const idle = await start("1");
  await eventually(async () => expect(await ready()).toBe(2));
  await idle.program.stop();
});
