import { describe, expect, test } from "bun:test";
import { normalizeAddress, socketOf } from "~/address";

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
  ])("%s is read as libpq reads it", (given, normal) => {
    expect(normalizeAddress(given, "me")).toBe(normal);
  });

  test.each([
    "postgres://u@/db",
    "postgres://u@h",
    "postgres://h/db",
    "postgres://u@h/db?port=5432x",
    "postgres://u:p#ss@h/db",
    "mysql://u@h/db",
  ])("%s is none", (given) => {
    expect(normalizeAddress(given)).toBeUndefined();
  });

  test("leads to a socket or to a host", () => {
    expect(socketOf("postgres://u@%2Frun%2Fpg:5433/db")).toBe("/run/pg");
    expect(socketOf("postgres://u@localhost/db")).toBeUndefined();
  });
});
