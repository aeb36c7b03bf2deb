/** A used schema goes back into the pool only as a copy of its template, and only when no server uses it any more. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { createSessionPool, type SessionPool } from "~/db/session-pool";
import { openEnvironment } from "~/platform/environments/opening";
import { eventually, useDatabase } from "../../support/database";
import { expectStatus, useProgram } from "../../support/program";

const database = useDatabase();
const program = useProgram(database, {
  // No cycle comes between two reads but those that the tests ask for.
  MAINTENANCE_CYCLE_INTERVAL: "3600",
  // Ready schemas beyond twice the target are dropped: the tests' own must never be one of them.
  ENVIRONMENT_POOL_TARGETS: "chat_default:3",
});
let otherServer: SessionPool;
beforeAll(() => {
  otherServer = createSessionPool(database.url, 2, openEnvironment);
});
afterAll(() => otherServer.end());

let environment: { environmentId: string; schemaName: string; environmentUrl: string };
beforeEach(async () => {
  environment = await program.environment();
});

const write = () =>
  program.chat(environment, "chat.postMessage", { channel: "C01GENERAL", text: "hello" });
const deleteIt = async () =>
  expectStatus(await program.call("DELETE", `/env/${environment.environmentId}`), 200);

/** Its state in the register, and whether it exists. */
async function schema() {
  const [row] = await database.sql<{ state: string | null; exists: boolean }[]>`
    select (select state from diorama.schemas where schema_name = ${environment.schemaName}) as state,
      to_regnamespace(${environment.schemaName}) is not null as exists
  `;
  return row;
}

const texts = async () =>
  (
    await database.sql.unsafe(`select text from "${environment.schemaName}".messages order by ts`)
  ).map((row) => row["text"]);

/** Lets maintenance recycle used schemas now. Resolves when it has finished or given up. */
async function maintain() {
  await database.sql`
    update diorama.schemas set changed_at = now() - interval '1 minute' where schema_name = ${environment.schemaName}
  `;
  await program.program.maintenance.cycle();
}

describe("a used schema", () => {
  test("goes back into the pool", async () => {
    const before = await texts();
    await write();

    await deleteIt();

    await eventually(async () => expect(await schema()).toEqual({ state: "ready", exists: true }));
    expect(await texts()).toEqual(before);
  });

  test("goes back when its changes were noted for an app and a colleague, and notes none after that", async () => {
    environment = await program.environment({
      events: { apps: [{ app: "A01AGENTBOT", events: ["message.channels"] }] },
      counterparts: [
        {
          ...{
            name: "answer",
            as: "U02JOHNADOE",
            say: { channel: "C01GENERAL", text: "answered" },
          },
          when: { diff_type: "added", entity: "messages" },
        },
      ],
    });
    const noted = async () =>
      await database.sql`
        select from pg_trigger join pg_class c on c.oid = tgrelid
        where c.relnamespace = to_regnamespace(${environment.schemaName}) and not tgisinternal
      `;
    expect(await noted()).not.toBeEmpty();
    await write();
    expect(await texts()).toContain("answered");

    await deleteIt();

    await eventually(async () => expect(await schema()).toEqual({ state: "ready", exists: true }));
    expect(await noted()).toBeEmpty();
    expect(await texts()).not.toContain("answered");
  });

  test("is dropped when a row that seems to be the template's differs from it", async () => {
    const { schemaName } = environment;
    await database.sql.unsafe(`update "${schemaName}".messages set text = 'tampered'`);
    // From here on the tampered rows look older than the last time the schema equalled its template.
    await database.sql`
      update diorama.schemas set fresh_xid = pg_current_xact_id()::text::bigint where schema_name = ${schemaName}
    `;
    await write();

    await deleteIt();

    await eventually(async () => expect(await schema()).toEqual({ state: null, exists: false }));
  });

  test("waits while another server holds it", async () => {
    const template = await texts();
    await write();
    const tables = [{ name: "messages" }];
    await otherServer.use(
      { ...environment, tables },
      ({ sql, t }) => sql`select count(*) from ${t["messages"]!}`,
    );

    await deleteIt();
    await maintain();

    expect(await schema()).toEqual({ state: "used", exists: true });
    expect(await texts()).toContain("hello");

    await otherServer.release(environment.environmentId);
    await maintain();

    expect(await schema()).toEqual({ state: "ready", exists: true });
    expect(await texts()).toEqual(template);
  });
});

describe("an empty schema", () => {
  const emptied = async () =>
    (
      await database.sql<{ name: string }[]>`
        select schema_name as name from diorama.schemas where template_schema like 'empty_%' order by 1
      `
    ).map(({ name }) => name);

  beforeAll(async () => {
    await eventually(async () => {
      await program.program.maintenance.cycle();
      expect(await emptied()).toHaveLength(6);
    });
  });

  test("is filled for a new environment when no schema is ready, and then is one of its template's", async () => {
    const empty = await emptied();
    const template = await texts();
    await database.sql`
      update diorama.schemas set state = 'reserved' where state = 'ready' and not schema_name = any(${empty})
    `;

    environment = await program.environment();

    expect(empty).toContain(environment.schemaName);
    expect(await emptied()).toEqual(empty.filter((name) => name !== environment.schemaName));
    expect(await texts()).toEqual(template);
    await write();
    await deleteIt();
    await eventually(async () => expect(await schema()).toEqual({ state: "ready", exists: true }));
    expect(await texts()).toEqual(template);
  });

  test("serves another template of the service", async () => {
    const empty = await emptied();

    const other = await program.environment({ templateName: "chat_base" });

    expect(empty).toContain(other.schemaName);
  });
});
