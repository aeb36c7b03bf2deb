import { describe, expect, test } from "bun:test";
import { ConfigError, misspelt, readConfig, SETTINGS } from "~/config";

const URL = { DATABASE_URL: "postgres://user:secret@localhost:5432/diorama" };

function problems(settings: Record<string, string>): readonly string[] {
  try {
    readConfig({ ...URL, ...settings });
    return [];
  } catch (error) {
    if (error instanceof ConfigError) return error.problems;
    throw error;
  }
}

describe("settings", () => {
  test("have the defaults that are documented", () => {
    expect(readConfig(URL)).toMatchObject({
      LOGICAL_REPLICATION_ENABLED: true,
      ENVIRONMENT: "development",
      SEED: true,
      ENVIRONMENT_POOL_TARGETS: undefined,
      MAINTENANCE_IDLE_TIMEOUT: 300,
      MAINTENANCE_CYCLE_INTERVAL: 10,
      POOL_REFILL_CONCURRENCY: 10,
      REPLICATION_IDLE_TIMEOUT: 300,
      HOST: "127.0.0.1",
      PORT: 3000,
      CAPTURE_PLUGIN: "auto",
      CAPTURE_WAL_BUDGET: 2 * 2 ** 30,
      RATE_LIMITS: false,
      LOG_LEVEL: "info",
      development: true,
    });
  });

  test("listen to everybody outside development only", () => {
    expect(readConfig({ ...URL, ENVIRONMENT: "production" })).toMatchObject({
      HOST: "0.0.0.0",
      development: false,
    });
    expect(readConfig({ ...URL, ENVIRONMENT: "production", HOST: "10.0.0.1" }).HOST).toBe(
      "10.0.0.1",
    );
  });

  test("take pool targets", () => {
    const targets = readConfig({
      ...URL,
      ENVIRONMENT_POOL_TARGETS: "chat_default:20, chat_base:0",
    }).ENVIRONMENT_POOL_TARGETS;
    expect([...(targets ?? [])]).toEqual([
      ["chat_default", 20],
      ["chat_base", 0],
    ]);
  });

  test.each([
    ["DATABASE_URL", "", /is not set/],
    ["DATABASE_URL", "mysql://localhost/x", /needed: a URL such as postgres/],
    ["DATABASE_URL", "postgres://localhost", /needed: a URL/],
    ["PORT", "65536", /whole number from 0 to 65535/],
    ["PORT", "0x10", /whole number/],
    ["SEED", "yes", /true or false/],
    ["LOGICAL_REPLICATION_ENABLED", "1", /true or false/],
    ["MAINTENANCE_CYCLE_INTERVAL", "-1", /whole number/],
    ["MAINTENANCE_IDLE_TIMEOUT", "1.5", /whole number/],
    ["POOL_REFILL_CONCURRENCY", "0", /whole number from 1/],
    ["REPLICATION_IDLE_TIMEOUT", "", /whole number/],
    ["CAPTURE_PLUGIN", "wal3json", /one of auto, wal2json, pgoutput/],
    ["CAPTURE_WAL_BUDGET", "2GiB", /size such as/],
    ["LOG_LEVEL", "loud", /one of debug/],
    ["ENVIRONMENT_POOL_TARGETS", "a:1,b", /item 2 \("b"\)/],
    ["ENVIRONMENT_POOL_TARGETS", "a:b:c", /item 1/],
    ["ENVIRONMENT_POOL_TARGETS", "a:-1", /item 1/],
    ["ENVIRONMENT_POOL_TARGETS", "a:1,a:2", /comes a second time/],
    ["CONTROL_PLANE_URL", "file:///etc/passwd", /http or https/],
    ["CONTROL_PLANE_URL", "http://169.254.169.254/latest", /link-local/],
    ["CONTROL_PLANE_URL", "https://user:pw@host", /user name or password/],
    ["CONTROL_PLANE_URL", "https://host/#x", /without \? or #/],
    ["CONTROL_PLANE_URL", "nonsense", /http or https/],
  ])("%s = %p is refused with what is needed", (name, value, message) => {
    const found = problems({ [name]: value });
    expect(found).toHaveLength(1);
    expect(found[0]).toStartWith(name);
    expect(found[0]).toMatch(message);
  });

  test("tell all that is wrong at once, and no password", () => {
    const found = problems({ DATABASE_URL: "mysql://user:secret@h/x", PORT: "x", SEED: "x" });
    expect(found.map((line) => line.split(" ")[0])).toEqual(["DATABASE_URL", "PORT", "SEED"]);
    expect(found.join()).not.toContain("secret");
  });

  test("need https for keys outside development", () => {
    const plane = { CONTROL_PLANE_URL: "http://keys.example.com", ENVIRONMENT: "production" };
    expect(problems(plane)).toEqual([expect.stringContaining("https outside development")]);
    expect(problems({ ...plane, CONTROL_PLANE_URL: "http://127.0.0.1:9" })).toEqual([]);
  });

  test("that are misspelt are noticed", () => {
    expect(misspelt({ DATABSE_URL: "x", PATH: "x", LOG_LEVELS: "x" })).toEqual([
      "DATABSE_URL is not a setting; did you mean DATABASE_URL?",
      "LOG_LEVELS is not a setting; did you mean LOG_LEVEL?",
    ]);
  });

  test("each say what they are for", () => {
    for (const setting of Object.values(SETTINGS)) expect(setting.help.length).toBeGreaterThan(10);
  });
});
