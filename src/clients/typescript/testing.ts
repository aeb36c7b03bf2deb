/**
 * For tests with any runner: matchers for a diff, and an environment that is recorded and deleted.
 *
 *   expect.extend(matchers);
 *   test("says hello", recorded("chat_default", { as: "U01AGENTONE" }, async ({ diorama }) => {
 *     await diorama.slack().chat.postMessage({ channel: "C01GENERAL", text: "Hello" });
 *     expect(await diorama.diff()).toHaveAdded("messages", { text: /hello/i });
 *   }));
 *
 * `diorama/vitest` and `diorama/jest` have both done.
 */
import { diorama, type EnvOptions, type RecordedEnvironment } from "./index";
import type { Diff } from "./schema";

/** Some fields of a row, also inside of objects. A pattern searches in a text; `expect.anything()` and its like work in vitest and jest. */
export type ExpectedRow = { readonly [field: string]: unknown };
type Kind = "inserts" | "updates" | "deletes";
/** As of `assert_diff` in Python: each row has its table as `__table__`. */
export type ExpectedDiff = { readonly [kind in Kind]?: readonly ExpectedRow[] } & {
  /** Default: `reject`. */
  readonly others?: "reject" | "allow";
  /** Tables that are left out. */
  readonly ignore?: readonly string[];
};

/** Matchers for a diff. */
export type DiffMatchers<Result = void> = {
  /** A row like this was added to the table. */
  toHaveAdded(table: string, row?: ExpectedRow): Result;
  /** A row of the table was changed; `row` may name its `key`, and values `before` and `after`. */
  toHaveChanged(table: string, row?: ExpectedRow): Result;
  /** A row like this was removed from the table. */
  toHaveRemoved(table: string, row?: ExpectedRow): Result;
  /** Each of these changes was made, each another one, and no others. Without any: nothing changed. */
  toBeDiff(expected?: ExpectedDiff): Result;
};

type Matched = { readonly pass: boolean; readonly message: () => string };
type Change = ExpectedRow & { readonly __table__: string };

const KINDS: readonly Kind[] = ["inserts", "updates", "deletes"];
/** Characters of a row in a message. */
const ROW_MAX = 2_000;
/** A test that was killed leaves its environment for this long at most. */
const TTL_SECONDS = 900;
/** Characters of a label. */
const LABEL_MAX = 256;

/** For `expect.extend`. */
export const matchers = {
  toHaveAdded: (diff: Diff, table: string, row: ExpectedRow = {}) =>
    has(diff, "inserts", table, row),
  toHaveChanged: (diff: Diff, table: string, row: ExpectedRow = {}) =>
    has(diff, "updates", table, row),
  toHaveRemoved: (diff: Diff, table: string, row: ExpectedRow = {}) =>
    has(diff, "deletes", table, row),
  toBeDiff(diff: Diff, expected: ExpectedDiff = {}): Matched {
    const problems = problemsOf(diff, expected);
    return {
      pass: problems.length === 0,
      message: () =>
        problems.length === 0
          ? "the diff is exactly the one that it must not be"
          : ["the diff is not as expected", ...problems].join("\n"),
    };
  },
};

/**
 * A function for a test: `work` gets an environment in which a run has begun, which is deleted afterwards. If it throws,
 * the error also says what changed and which calls were made. `nameOf`: the running test, a label of its run.
 */
export const recorded =
  (
    template: string,
    options: EnvOptions,
    work: (fixtures: { readonly diorama: RecordedEnvironment }) => unknown,
    nameOf: () => string | undefined = () => undefined,
  ) =>
  async (): Promise<void> => {
    await using environment = await record(template, options, nameOf());
    try {
      await work({ diorama: environment });
    } catch (error) {
      if (error instanceof Error) explain(error, await environment.report());
      throw error;
    }
  };

/** `test`: its name, a label of the run. */
export const record = async (
  template: string,
  options: EnvOptions,
  test = "",
): Promise<RecordedEnvironment> =>
  await diorama.record(
    template,
    { ttlSeconds: TTL_SECONDS, ...options },
    test === "" ? {} : { labels: { test: test.slice(-LABEL_MAX) } },
  );

/** Adds a report to a message, and to the stack, which repeats it. */
export function explain(
  error: { message: string; stack?: string | undefined },
  report: string,
): void {
  const { message, stack } = error;
  const explained = `${message}\n\n${report}\n`;
  error.message = explained;
  if (stack?.includes(message)) error.stack = stack.replace(message, () => explained);
}

function has(diff: Diff, kind: Kind, table: string, row: ExpectedRow): Matched {
  const expected = { __table__: table, ...row };
  const rows = rowsOf(diff, kind);
  const found = rows.find((each) => fits(expected, each));
  return {
    pass: found !== undefined,
    message: () =>
      found ? `not expected in ${kind}: ${shown(found)}` : missing(kind, expected, rows).join("\n"),
  };
}

function rowsOf(diff: Diff, kind: Kind): readonly Change[] {
  const rows: unknown = (diff as Partial<Diff> | null | undefined)?.[kind];
  if (Array.isArray(rows)) return rows;
  throw new TypeError("A diff is needed: await diorama.diff()");
}

function problemsOf(
  diff: Diff,
  { others = "reject", ignore = [], ...expected }: ExpectedDiff,
): string[] {
  return KINDS.flatMap((kind) => {
    const wanted = expected[kind] ?? [];
    const rows = rowsOf(diff, kind).filter(({ __table__: table }) => !ignore.includes(table));
    const pairs = paired(wanted, rows);
    const taken = new Set(pairs.values());
    const left = rows.filter((_, place) => !taken.has(place));
    return [
      ...wanted.flatMap((row, place) => (pairs.has(place) ? [] : missing(kind, row, left))),
      ...(others === "reject" ? left.map((row) => `not expected in ${kind}: ${shown(row)}`) : []),
    ];
  });
}

/** As many expected rows as possible, each with a row of its own: by augmenting paths. */
function paired(wanted: readonly ExpectedRow[], rows: readonly Change[]): Map<number, number> {
  const taken = new Map<number, number>();
  const place = (want: number, tried: Set<number>): boolean => {
    for (const [given, row] of rows.entries()) {
      if (tried.has(given) || !fits(wanted[want], row)) continue;
      tried.add(given);
      const holder = taken.get(given);
      if (holder !== undefined && !place(holder, tried)) continue;
      taken.set(given, want);
      return true;
    }
    return false;
  };
  for (const want of wanted.keys()) place(want, new Set());
  return new Map([...taken].map(([given, want]) => [want, given]));
}

function fits(expected: unknown, actual: unknown): boolean {
  if (expected instanceof RegExp) return typeof actual === "string" && actual.search(expected) >= 0;
  if (typeof expected !== "object" || expected === null) return Object.is(expected, actual);
  if ("asymmetricMatch" in expected && typeof expected.asymmetricMatch === "function")
    return Boolean(expected.asymmetricMatch(actual));
  if (typeof actual !== "object" || actual === null) return false;
  if (Array.isArray(expected) && (!Array.isArray(actual) || actual.length !== expected.length))
    return false;
  return Object.entries(expected).every(
    ([name, value]) => Object.hasOwn(actual, name) && fits(value, (actual as ExpectedRow)[name]),
  );
}

const wrongIn = (expected: ExpectedRow, actual: ExpectedRow) =>
  Object.keys(expected).filter((name) => !fits(expected[name], actual[name]));

/** The row that is missing, and what the most similar one has instead. */
function missing(kind: Kind, expected: ExpectedRow, rows: readonly Change[]): string[] {
  const { __table__: table } = expected;
  const [nearest] = rows
    .filter((row) => table === undefined || fits(table, row.__table__))
    .map((row) => ({ row, wrong: wrongIn(expected, row) }))
    .sort((one, other) => one.wrong.length - other.wrong.length);
  const first = `missing in ${kind}: ${shown(expected)}`;
  if (!nearest) return [first];
  const has = Object.fromEntries(nearest.wrong.map((name) => [name, nearest.row[name] ?? null]));
  return [first, `  the nearest has ${shown(has)}`];
}

function shown(row: ExpectedRow): string {
  const text = JSON.stringify(row, (_, value) => (value instanceof RegExp ? `${value}` : value));
  return text.length <= ROW_MAX ? text : `${text.slice(0, ROW_MAX)}…`;
}
