/** Requirements of the database: each problem is reported with the finding and the fix. */
import { afterAll, describe, expect, test } from "bun:test";
import { join } from "node:path";
import { ConfigError, readConfig } from "~/config";
import { connect } from "~/db/connect";
import { capacityChecks, findCapacity } from "~/program/capacity-checks";
import { PreflightError } from "~/program/check";
import { checkDatabase, faultIn, requireKnownTargets } from "~/program/doctor";
import { findPrograms, startCluster } from "../../scripts/postgres";
import { startClusters } from "../support/clusters";
import { createDatabase, dropDatabase, overTcp, useDatabase } from "../support/database";
import { startProxy } from "../support/proxy";

const database = useDatabase({ empty: true });

async function problems(
  url: string,
  settings: Record<string, string> = {},
): Promise<readonly string[]> {
  const pool = connect(url, { max: 1, name: "doctor", camel: true });
  try {
    await checkDatabase(pool, readConfig({ DATABASE_URL: url, ...settings }));
    return [];
  } catch (error) {
    if (error instanceof PreflightError) return error.problems;
    throw error;
  } finally {
    await pool.end({ timeout: 1 });
  }
}

describe("a database", () => {
  test("that meets all requirements passes", async () => {
    expect(await problems(database.url)).toEqual([]);
  });

  const other = (change: (url: URL) => void) => {
    const url = overTcp(database.url);
    change(url);
    return url.href;
  };
  test.each([
    [
      "with a wrong password",
      () => other((url) => (url.password = "wrong")),
      /^DATABASE_URL: the password is wrong for the role "postgres", or there is no such role$/,
    ],
    [
      "without a password",
      () => other((url) => (url.password = "")),
      /^DATABASE_URL: the server requires a password for the role "postgres", and the URL has none$/,
    ],
    [
      "that does not exist",
      () => other((url) => (url.pathname = "/no%20such")),
      /^DATABASE_URL: there is no database "no such" at 127\.0\.0\.1:\d+; CREATE DATABASE "no such" makes it$/,
    ],
    [
      "on a host that does not exist",
      () => other((url) => (url.hostname = "no-such-host.invalid")),
      /^DATABASE_URL: the database cannot be reached: there is no host named "no-such-host\.invalid" \(E/,
    ],
    [
      "on a port without a server",
      () => "postgres://u@127.0.0.1:1/x",
      /cannot be reached: nothing listens at 127\.0\.0\.1:1; is Postgres running there\? \(ECONNREFUSED\)$/,
    ],
    [
      "on a socket without a server",
      () => "postgres:///x?host=/nowhere&user=u",
      /cannot be reached: nothing listens at \/nowhere\/\.s\.PGSQL\.5432; is Postgres running there\? \(ECONNREFUSED\)$/,
    ],
    [
      "that wants no TLS",
      () => other((url) => (url.search = "?sslmode=require")),
      /^DATABASE_URL: sslmode=require: the server does not offer TLS$/,
    ],
  ])("%s is explained", async (_case, url, sentence) => {
    expect(await problems(url())).toEqual([expect.stringMatching(sentence)]);
  });

  test("needs a connection that streams the log as capture reads it", async () => {
    const proxy = await startProxy(database.url, (link, data) => {
      if (data.includes("START_REPLICATION")) link.cut();
    });

    const found = await problems(proxy.url);

    proxy.stop();
    expect(found).toEqual([expect.stringMatching(/^DATABASE_URL: the log cannot be streamed/)]);
  });

  test("needs the configured plugin; the error says how to install it", async () => {
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
])("a release with a fault in logical decoding leads to a warning: %i", (version, text, fixed) => {
  expect(faultIn(version, text)).toContain(`PostgreSQL ${text}`);
  expect(faultIn(version, text)).toContain(`${fixed} fixes it`);
  expect(faultIn(version + 1, text)).toBeUndefined();
  expect(faultIn(version - 1, text)).toBeUndefined();
});

describe("ENVIRONMENT_POOL_TARGETS", () => {
  const examineTargets = (targets: string, settings = {}) =>
    requireKnownTargets(
      database.sql,
      readConfig({
        DATABASE_URL: database.url,
        ENVIRONMENT_POOL_TARGETS: targets,
        ...settings,
      }),
    );

  test("names built-in templates before they are built", async () => {
    expect(await examineTargets("chat_default:1,tracker_base:2")).toBeUndefined();
    expect(examineTargets("chat_default:1", { SEED: "false" })).rejects.toThrow(ConfigError);
  });

  test("that name no template are an error with the existing names", async () => {
    await expect(examineTargets("chat_base:1,chat_defalt:1")).rejects.toThrow(
      /^ENVIRONMENT_POOL_TARGETS names chat_defalt; needed: names of templates \(chat_base, /,
    );
  });
});

describe("a server with wal_level replica and too few slots", async () => {
  const dir = join(import.meta.dir, "../../.diorama/test-unfit");
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

  test("gets all problems together", async () => {
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

  test("without slots does not mention the ones in use", async () => {
    await cluster?.stop();
    await cluster?.start({ max_replication_slots: "0", max_wal_senders: "0" });

    const found = await problems(cluster?.url ?? "");

    expect(found.filter((problem) => problem.includes("slots"))).toEqual([
      "max_replication_slots is 0; at least 10 are needed: ALTER SYSTEM SET max_replication_slots = 10; then restart Postgres",
    ]);
  });

  test("needs no log with snapshots", async () => {
    expect(await problems(cluster?.url ?? "", { LOGICAL_REPLICATION_ENABLED: "false" })).toEqual([
      expect.stringMatching(/^max_connections/),
    ]);
  });
});

describe("the number of environments that a Postgres carries", () => {
  const settings = { autovacuum: true, locks: 6_400, sessions: 100, walBytes: 4 * 2 ** 30 };
  const config = readConfig({ DATABASE_URL: "postgres://user@localhost/diorama" });
  const disk = { freeBytes: 500 * 2 ** 30, totalBytes: 1_000 * 2 ** 30 };
  const warnings = (...facts: Parameters<typeof findCapacity>) =>
    findCapacity(...facts).flatMap(({ warning }) => warning ?? []);

  test("is told with the disk, and needs no change", () => {
    const checks = findCapacity(settings, disk, config, 0);

    expect(checks.map(({ found }) => found)).toEqual([
      "this Postgres carries 10000 environments, by catalog",
      "the disk of Postgres has 500.0 GB of 1000.0 GB free, 2.0 GB of them reserved",
      "autovacuum is on",
      "the table of locks has 6400 entries",
    ]);
    expect(warnings(settings, disk, config, 0)).toEqual([]);
  });

  test("is smaller with settings that can be changed", () => {
    expect(warnings({ ...settings, autovacuum: false, locks: 1_000 }, disk, config, 0)).toEqual([
      expect.stringContaining("ALTER SYSTEM SET autovacuum = on"),
      expect.stringContaining("ALTER SYSTEM SET max_locks_per_transaction = 40;"),
    ]);
    const [carried] = findCapacity({ ...settings, walBytes: 2 ** 30 }, disk, config, 0);
    expect(carried?.found).toContain("ALTER SYSTEM SET max_wal_size = '4GB'");
  });

  test("is smaller on a disk that runs low", () => {
    const low = { ...disk, freeBytes: 2 * 2 ** 30 + 16_000_000 };
    expect(warnings(settings, low, config, 3)).toEqual([
      expect.stringContaining("has room for 10 more environments"),
    ]);
  });

  test("is found for a real one, on this machine or by the size of its disk", async () => {
    const pool = connect(database.url, { max: 1, name: "doctor", camel: true });
    const found = async (settings: Record<string, string>) =>
      (await capacityChecks(pool, readConfig({ DATABASE_URL: database.url, ...settings })))
        .map((check) => check.found)
        .join("\n");
    try {
      expect(await found({})).toMatch(/the disk of Postgres has [\d.]+ GB of [\d.]+ GB free/);
      expect(await found({ DATABASE_DISK: "50GB" })).toMatch(/has 4\d\.\d GB of 50\.0 GB free/);
    } finally {
      await pool.end({ timeout: 1 });
    }
  });
});
