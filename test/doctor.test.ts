/** What a database must have: each lack is named with what was found and what to do. */
import { afterAll, describe, expect, test } from "bun:test";
import { join } from "node:path";
import { readConfig } from "~/config";
import { connect } from "~/db/connect";
import { examine, faultIn, Unfit } from "~/doctor";
import { findPrograms, startCluster } from "../scripts/postgres";
import { startClusters } from "./support/clusters";
import { createDatabase, dropDatabase, useDatabase } from "./support/database";
import { startProxy } from "./support/proxy";

const database = useDatabase({ empty: true });

async function problems(
  url: string,
  settings: Record<string, string> = {},
): Promise<readonly string[]> {
  const pool = connect(url, { max: 1, name: "doctor", camel: true });
  try {
    await examine(pool, readConfig({ DATABASE_URL: url, ...settings }));
    return [];
  } catch (error) {
    if (error instanceof Unfit) return error.problems;
    throw error;
  } finally {
    await pool.end({ timeout: 1 });
  }
}

describe("a database", () => {
  test("that has everything passes", async () => {
    expect(await problems(database.url)).toEqual([]);
  });

  test("out of reach is named", async () => {
    expect(await problems("postgres://u@127.0.0.1:1/x")).toEqual([
      expect.stringContaining("cannot be reached (ECONNREFUSED)"),
    ]);
  });

  test("needs a connection that streams the log as capture reads it", async () => {
    const proxy = await startProxy(database.url, (link, data) => {
      if (data.includes("START_REPLICATION")) link.cut();
    });

    const found = await problems(proxy.url);

    proxy.stop();
    expect(found).toEqual([expect.stringMatching(/^DATABASE_URL: the log cannot be streamed/)]);
  });

  test("needs the plugin that was asked for, and says how to get it", async () => {
    for (const cluster of await startClusters()) {
      if (cluster.plugins.includes("wal2json")) continue;
      const here = await createDatabase(cluster, true);
      expect(await problems(here.url, { CAPTURE_PLUGIN: "wal2json" })).toEqual([
        expect.stringMatching(
          /CAPTURE_PLUGIN is wal2json, which is not installed \(apt install postgresql-\d+-wal2json\)/,
        ),
      ]);
      expect(await problems(here.url, { CAPTURE_PLUGIN: "auto" })).toEqual([]);
      await dropDatabase(here);
    }
  });

  test("needs a role that may create schemas and replicate", async () => {
    await database.sql.unsafe(
      "drop role if exists weak; create role weak login password 'weak'; revoke create on schema public from public",
    );
    const weak = new URL(database.url);
    weak.username = "weak";
    weak.password = "weak";
    expect(await problems(weak.href)).toEqual([
      expect.stringContaining("may not create schemas"),
      expect.stringContaining("ALTER ROLE … REPLICATION"),
    ]);

    await database.sql.unsafe(
      "drop role if exists rds_replication; create role rds_replication; grant rds_replication to weak",
    );
    expect((await problems(weak.href)).join()).not.toContain("ALTER ROLE … REPLICATION");
    await database.sql.unsafe("drop role weak; drop role rds_replication");
  });
});

test.each([
  [150_013, "15.13", "15.14"],
  [170_005, "17.5", "17.6"],
])("a release with a fault in logical decoding is warned of: %i", (version, text, fixed) => {
  expect(faultIn(version, text)).toContain(`PostgreSQL ${text}`);
  expect(faultIn(version, text)).toContain(`${fixed} mends it`);
  expect(faultIn(version + 1, text)).toBeUndefined();
  expect(faultIn(version - 1, text)).toBeUndefined();
});

describe("a server with wal_level replica and too few slots", async () => {
  const dir = join(import.meta.dir, "../.diorama/test-unfit");
  const cluster = (await findPrograms("embedded"))
    ? await startCluster({
        source: "embedded",
        dir,
        settings: {
          wal_level: "replica",
          max_replication_slots: "2",
          max_wal_senders: "2",
          max_connections: "20",
        },
      })
    : undefined;
  afterAll(() => cluster?.remove());

  test("is told all of it at once", async () => {
    const url = cluster?.url ?? "";
    expect(await problems(url)).toEqual([
      expect.stringMatching(
        /^max_connections is 20; at least \d+ are needed: ALTER SYSTEM SET max_connections/,
      ),
      expect.stringMatching(
        /^wal_level is "replica", needs "logical": ALTER SYSTEM SET wal_level = logical; then restart/,
      ),
      expect.stringMatching(/^max_replication_slots is 2; at least 10/),
      expect.stringMatching(/^max_wal_senders is 2; at least 10/),
    ]);
  });

  test("needs no log where snapshots are compared", async () => {
    expect(await problems(cluster?.url ?? "", { LOGICAL_REPLICATION_ENABLED: "false" })).toEqual([
      expect.stringMatching(/^max_connections/),
    ]);
  });
});
