import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { cpSync, mkdtempSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { NO_ALIASES } from "~/aliases";
import { inTransaction } from "~/db/connect";
import { openSession, tablesOf } from "~/db/session";
import { HeaderList, HttpRequest, textOf } from "~/message";
import { importSeed } from "~/platform/templates/seed-store";
import { newAccount, type Replica } from "~/replicas/replica";
import { useDatabase } from "../support/database";

const ROOT = join(import.meta.dir, "../..");
const COPIED = ["package.json", "tsconfig.json", "scripts", "seeds", "src", "test/support"];
const SERVICE = "calendar";
/** The compiler reads every source, on a machine that may be busy. */
const TSC_MS = 180_000;

let copy: string;

function run(...command: string[]) {
  const { exitCode, stdout, stderr } = Bun.spawnSync(command, { cwd: copy });
  return { exitCode, output: `${stdout}${stderr}` };
}
const scaffold = (name: string) =>
  run(process.execPath, join(ROOT, "scripts/replica.ts"), name, "--root", copy);

beforeAll(() => {
  copy = mkdtempSync(join(tmpdir(), "diorama-replica-"));
  for (const name of COPIED) cpSync(join(ROOT, name), join(copy, name), { recursive: true });
  symlinkSync(join(ROOT, "node_modules"), join(copy, "node_modules"));
  expect(scaffold(SERVICE)).toMatchObject({ exitCode: 0 });
});
afterAll(() => {
  rmSync(copy, { recursive: true });
});

describe("the scaffold of a service", () => {
  const database = useDatabase({ empty: true });

  test(
    "type-checks, its seed and its test included",
    () => {
      expect(run(process.execPath, "--bun", "node_modules/.bin/tsc")).toEqual({
        exitCode: 0,
        output: "",
      });
    },
    TSC_MS,
  );

  test("is in the lists of services and of seeds", async () => {
    const { REPLICAS } = await import(join(copy, "src/replicas/index.ts"));
    const { SEEDS } = await import(join(copy, "seeds/index.ts"));

    expect([...REPLICAS.keys()]).toEqual(["chat", "tracker", SERVICE]);
    expect(SEEDS).toContainEqual(expect.objectContaining({ template: `${SERVICE}_default` }));
  });

  test("answers calls", async () => {
    const { REPLICAS } = await import(join(copy, "src/replicas/index.ts"));
    const replica: Replica = REPLICAS.get(SERVICE);
    const { default: seed } = await import(join(copy, `seeds/${SERVICE}_default.yaml`));
    await inTransaction(database.sql, (tx) => importSeed(tx, replica, SERVICE, seed));
    const tables = tablesOf(database.sql, SERVICE, [{ name: "users" }]);
    const session = openSession(database.sql, SERVICE, tables);
    const call = async (path: string, args: object) => {
      const response = await replica.handle({
        request: new HttpRequest("POST", `/${path}`, new HeaderList()),
        path,
        body: Buffer.from(JSON.stringify(args)),
        session,
        actor: "agent",
        userToken: undefined,
        account: newAccount("test"),
        isAnonymous: false,
        mayImpersonate: false,
        baseUrl: "http://test",
        secret: new Uint8Array(),
        aliases: NO_ALIASES,
      });
      return { status: response.status, body: JSON.parse(textOf(response)) };
    };

    expect(await replica.findUser(session, { email: "JOHN@acme.test" })).toBe("john");
    expect(await call("users.info", {})).toMatchObject({
      status: 200,
      body: { user: { id: "agent" } },
    });
    expect(await call("users.list", { after: "agent" })).toMatchObject({
      status: 200,
      body: { users: [{ id: "john" }] },
    });
    expect(await call("users.info", { id: "nobody" })).toEqual({
      status: 404,
      body: { error: "user_not_found" },
    });
  });
});

test.each([
  ["a name that is taken", "chat", "src/replicas/chat exists already"],
  ["a name that is no identifier", "../calendar", "usage: bun scripts/replica.ts NAME"],
])("rejects %s", (_case, name, problem) => {
  const { exitCode, output } = scaffold(name);

  expect(exitCode).toBe(64);
  expect(output).toContain(problem);
});
