import { describe, expect, test } from "bun:test";
import {
  ConfigError,
  describe as describeConfig,
  readConfig,
  SETTINGS,
  warningsOf,
} from "~/config";

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
  test("have the documented defaults", () => {
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

  test("listen on all addresses only outside development", () => {
    expect(readConfig({ ...URL, ENVIRONMENT: "production" })).toMatchObject({
      HOST: "0.0.0.0",
      development: false,
    });
    expect(readConfig({ ...URL, ENVIRONMENT: "production", HOST: "10.0.0.1" }).HOST).toBe(
      "10.0.0.1",
    );
  });

  test("take encryption from libpq's variables if the URL does not set it", () => {
    const settings = { ...URL, PGSSLMODE: "verify-ca", PGSSLROOTCERT: "/ca.pem" };

    expect(readConfig(settings).DATABASE_URL).toBe(
      `${URL.DATABASE_URL}?sslmode=verify-ca&sslrootcert=%2Fca.pem`,
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
    ["DATABASE_URL", "postgres://u@h/db?sslmode=on", /needed: sslmode as one of disable, allow/],
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
    ["ENVIRONMENT_POOL_TARGETS", "a:1,a:2", /is a duplicate/],
  ])("%s = %p is rejected with the required format", (name, value, message) => {
    const found = problems({ [name]: value });
    expect(found).toHaveLength(1);
    expect(found[0]).toStartWith(name);
    expect(found[0]).toMatch(message);
  });

  test.each([
    ["file:///etc/passwd", /http or https/],
    ["http://169.254.169.254/latest", /link-local/],
    ["http://[fe80::1]/", /link-local/],
    ["http://2852039166/", /link-local/],
    ["https://user:pw@host", /user name or password/],
    ["https://host/#x", /without \? or #/],
    ["https://host/?x", /without \? or #/],
    ["nonsense", /http or https/],
  ])("CONTROL_PLANE_URL = %p is rejected (S015)", (value, message) => {
    expect(problems({ CONTROL_PLANE_URL: value })).toEqual([expect.stringMatching(message)]);
  });

  test.each([
    ["OTEL_EXPORTER_OTLP_ENDPOINT", "collector:4318", /http or https/],
    ["OTEL_EXPORTER_OTLP_ENDPOINT", "https://user:hidden@host", /user name or password/],
    ["OTEL_EXPORTER_OTLP_HEADERS", "a=1,hidden", /item 2 is not one/],
    ["OTEL_EXPORTER_OTLP_HEADERS", "a b=hidden", /item 1 is not one/],
    ["OTEL_EXPORTER_OTLP_HEADERS", "a=hidden%0d", /item 1 is not one/],
    ["OTEL_EXPORTER_OTLP_HEADERS", "a=hidden%", /item 1 is not one/],
  ])("%s = %p is rejected without its credential", (name, value, message) => {
    const found = problems({ [name]: value });
    expect(found).toEqual([expect.stringMatching(message)]);
    expect(found[0]).not.toContain("hidden");
  });

  test("take a collector of spans, and describe it without the values of its headers", () => {
    const config = readConfig({
      ...URL,
      OTEL_EXPORTER_OTLP_ENDPOINT: "https://collector:4318/",
      OTEL_EXPORTER_OTLP_HEADERS: " authorization=Bearer%20hidden== , x-tenant=a",
    });
    const headers = new Map([
      ["authorization", "Bearer hidden=="],
      ["x-tenant", "a"],
    ]);

    expect(config).toMatchObject({
      OTEL_EXPORTER_OTLP_ENDPOINT: "https://collector:4318",
      OTEL_SERVICE_NAME: "diorama",
    });
    expect(config.OTEL_EXPORTER_OTLP_HEADERS).toEqual(headers);
    expect(describeConfig(config)).toContain("OTEL_EXPORTER_OTLP_HEADERS=authorization,x-tenant");
    expect(describeConfig(config).join()).not.toContain("hidden");
    expect(readConfig(URL).OTEL_EXPORTER_OTLP_ENDPOINT).toBeUndefined();
    expect(readConfig(URL).OTEL_EXPORTER_OTLP_HEADERS.size).toBe(0);
  });

  test("report all problems together, and no password", () => {
    for (const url of ["mysql://user:secret@h/x", "mysql://h/x?user=user&password=secret"]) {
      const found = problems({ DATABASE_URL: url, PORT: "x", SEED: "x" });
      expect(found.map((line) => line.split(" ")[0])).toEqual(["DATABASE_URL", "PORT", "SEED"]);
      expect(found.join()).not.toContain("secret");
    }
  });

  test("require https for keys outside development (S015)", () => {
    const plane = { CONTROL_PLANE_URL: "http://keys.example.com", ENVIRONMENT: "production" };
    expect(problems(plane)).toEqual([expect.stringContaining("https outside development")]);
    expect(problems({ ...plane, CONTROL_PLANE_URL: "http://127.0.0.1:9" })).toEqual([]);
  });

  test("that are misspelt lead to a warning", () => {
    const env = { DATABSE_URL: "x", PATH: "x", LOG_LEVELS: "x" };
    expect(warningsOf(env, readConfig(URL))).toEqual([
      "DATABSE_URL is not a setting; did you mean DATABASE_URL?",
      "LOG_LEVELS is not a setting; did you mean LOG_LEVEL?",
    ]);
  });

  test.each([
    [{ HTTPS_PROXY: "http://proxy" }, ["HTTPS_PROXY"]],
    [{ https_proxy: "http://proxy" }, ["HTTPS_PROXY"]],
    [{ HTTPS_PROXY: "http://proxy", NO_PROXY: "a, keys.example.com" }, []],
    [{ HTTP_PROXY: "http://proxy" }, []],
    [{ HTTPS_PROXY: "" }, []],
  ])(
    "with %p, there are warnings about proxies that would see the keys: %p (S016)",
    (env, names) => {
      const config = readConfig({ ...URL, CONTROL_PLANE_URL: "https://keys.example.com" });
      expect(warningsOf(env, config).map((warning) => warning.split(" ")[0] ?? "")).toEqual(names);
    },
  );

  test("each have a description", () => {
    for (const setting of Object.values(SETTINGS)) expect(setting.help.length).toBeGreaterThan(10);
  });
});
