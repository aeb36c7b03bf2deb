import { describe, expect, test } from "bun:test";
import { toJson } from "~/capture/value";

describe("a value of a diff", () => {
  test.each([
    [null, "text", null],
    ["", "text", ""],
    ["t", "boolean", true],
    ["f", "boolean", false],
    ["42", "integer", 42],
    ["9007199254740991", "bigint", 9_007_199_254_740_991],
    ["9007199254740993", "bigint", "9007199254740993"],
    ["1.50", "numeric(10,2)", 1.5],
    ["0.1", "numeric", 0.1],
    ["0.10000000000000000001", "numeric", "0.10000000000000000001"],
    ["123456789012345678901234567890", "numeric", "123456789012345678901234567890"],
    ["NaN", "numeric", "NaN"],
    ["0.30000000000000004", "double precision", 0.30000000000000004],
    ["1e+30", "double precision", 1e30],
    ["Infinity", "double precision", "Infinity"],
    ['{"a": [1, null]}', "jsonb", { a: [1, null] }],
    ["null", "jsonb", null],
    ["2026-01-02 03:04:05+00", "timestamp with time zone", "2026-01-02T03:04:05.000Z"],
    ["2026-01-02 03:04:05.6+00", "timestamp with time zone", "2026-01-02T03:04:05.600Z"],
    ["2026-01-02 03:04:05.678901+00", "timestamp(6) with time zone", "2026-01-02T03:04:05.678901Z"],
    ["infinity", "timestamp with time zone", "infinity"],
    ["2026-01-02", "date", "2026-01-02"],
    ["\\x00ff", "bytea", "\\x00ff"],
    ["x", "character varying(20)", "x"],
    ["{}", "text[]", []],
    ['{a,NULL,"NULL","b c","q\\"\\\\"}', "text[]", ["a", null, "NULL", "b c", 'q"\\']],
    [
      "{{1,2},{3,NULL}}",
      "integer[]",
      [
        [1, 2],
        [3, null],
      ],
    ],
  ] as const)("%p of type %s is %p", (text, type, value) => {
    expect(toJson(text, type)).toEqual(value as never);
  });
});
