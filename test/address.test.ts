import { describe, expect, test } from "bun:test";
import { normalizeAddress, placesOf, socketOf, tlsOf, tlsProblem, withoutTls } from "~/address";

describe("a database's address", () => {
  test.each([
    ["postgres:///db?host=/run/pg", "postgres://me@%2Frun%2Fpg/db"],
    ["postgres://u@%2Frun%2Fpg/db", "postgres://u@%2Frun%2Fpg/db"],
    ["postgres://u:p@/db?host=/sql/a:b:c", "postgres://u:p@%2Fsql%2Fa%3Ab%3Ac/db"],
    ["postgres://u@:5433/db?host=/run", "postgres://u@%2Frun:5433/db"],
    ["postgres:///?dbname=d&host=/run&port=5433", "postgres://me@%2Frun:5433/d"],
    ["postgres://u@h/db?user=o%20k&password=p%2Fq", "postgres://o%20k:p%2Fq@h/db"],
    ["postgres:///db?host=/run&sslmode=require", "postgres://me@%2Frun/db"],
    ["postgresql://u@[::1]:1/d?sslmode=require", "postgresql://u@[::1]:1/d?sslmode=require"],
    [
      "postgres://u:p@a:1,b,[::1]:2/d?target_session_attrs=read-write",
      "postgres://u:p@a:1/d?other_host=b&other_host=%5B%3A%3A1%5D%3A2",
    ],
  ])("%s is read as libpq reads it", (given, normal) => {
    expect(normalizeAddress(given, { user: "me" })).toBe(normal);
  });

  test.each([
    "postgres://u@/db",
    "postgres://u@h",
    "postgres://h/db",
    "postgres://u@h/db?port=5432x",
    "postgres://u:p#ss@h/db",
    "postgres://u@a,/db",
    "postgres://u@a,b:x/db",
    "postgres://u@a,b/db?target_session_attrs=standby",
    "mysql://u@h/db",
  ])("%s is invalid", (given) => {
    expect(normalizeAddress(given)).toBeUndefined();
  });

  test("with several hosts is an address for each, with the same rest", () => {
    const url = normalizeAddress("postgres://u:p@a:1,b,[::1]:2/d?sslmode=require") ?? "";

    expect(placesOf(url)).toEqual([
      "postgres://u:p@a:1/d?sslmode=require",
      "postgres://u:p@b/d?sslmode=require",
      "postgres://u:p@[::1]:2/d?sslmode=require",
    ]);
    expect(withoutTls(url)).toBe("postgres://u:p@a:1/d");
    expect(placesOf("postgres://u@h/db")).toEqual(["postgres://u@h/db"]);
  });

  test("refers to a socket or to a host", () => {
    expect(socketOf("postgres://u@%2Frun%2Fpg:5433/db")).toBe("/run/pg");
    expect(socketOf("postgres://u@localhost/db")).toBeUndefined();
  });
});

describe("the encryption that a URL requests", () => {
  test.each([
    ["", "prefer", undefined],
    ["?sslmode=require", "require", undefined],
    ["?sslmode=verify-ca&sslrootcert=/ca.pem", "verify-ca", "/ca.pem"],
    ["?sslrootcert=/ca.pem", "prefer", "/ca.pem"],
    ["?sslrootcert=system", "verify-full", "system"],
    ["?sslmode=require&channel_binding=prefer&gssencmode=disable", "require", undefined],
  ] as const)("%s is read as libpq reads it", (query, mode, rootCert) => {
    const url = `postgres://u@h/db${query}`;

    expect(tlsProblem(url)).toBeUndefined();
    expect(tlsOf(url)).toMatchObject({ mode, rootCert });
    expect(withoutTls(url)).toBe("postgres://u@h/db");
  });

  test.each([
    ["sslmode=on", "sslmode as one of disable, allow, prefer, require, verify-ca, verify-full"],
    ["sslmode=verify-ca", "sslrootcert beside sslmode=verify-ca"],
    ["sslmode=require&sslrootcert=system", "sslmode=verify-full beside sslrootcert=system"],
    ["sslmode=require&sslcert=/c.pem", "sslcert and sslkey together"],
    ["sslcrl=/crl.pem", "a URL without sslcrl, which is not supported"],
    ["channel_binding=require", "a URL without channel_binding=require, which is not supported"],
  ])("%s is a problem", (query, problem) => {
    expect(tlsProblem(`postgres://u@h/db?${query}`)).toStartWith(problem);
  });

  test("comes from the defaults if the URL does not set it", () => {
    const defaults = { sslmode: "require", sslrootcert: "/ca.pem" };

    expect(normalizeAddress("postgres://u@h/db?sslmode=disable", defaults)).toBe(
      "postgres://u@h/db?sslmode=disable&sslrootcert=%2Fca.pem",
    );
    expect(normalizeAddress("postgres://u@/db?host=/run", defaults)).toBe("postgres://u@%2Frun/db");
  });
});
