/** Users with keys of their own. */
import { beforeAll } from "bun:test";
import { connect } from "~/db/connect";
import { createKey } from "~/platform/keys/keys";
import type { TestDatabase } from "./database";

/** Declares users for the tests of a file. The headers of their calls are there once the tests run. */
export function useUsers<Name extends string>(database: TestDatabase, ...names: readonly Name[]) {
  const headers = Object.fromEntries(names.map((name) => [name, {}])) as Record<
    Name,
    Record<string, string>
  >;
  beforeAll(async () => {
    const pool = connect(database.url, { max: 1, name: "platform", camel: true });
    for (const userId of names) {
      const wanted = { userId, name: "", plan: "enterprise", expiresInDays: null } as const;
      Object.assign(headers[userId], { "X-API-Key": (await createKey(pool, wanted)).key });
    }
    await pool.end();
  });
  return headers;
}
