/** The calls of a run as rows, for assertions that count them. */
import type { JsonObject } from "~/capture/fold";
import { selects } from "~/replicas/faults";

/** A call of a journal. */
export type RunCall = {
  readonly n: number;
  readonly via: string;
  readonly name: string;
  readonly arguments: unknown;
  /** Null of a call whose server died. */
  readonly status: number | null;
  readonly error: string | null;
  readonly fault: string | null;
};

/** The fields that `where` can name, with the type of their values. */
export const CALL_FIELDS = {
  via: { type: "text", says: "`rest`, `graphql` or `mcp`" },
  arguments: { type: "json", says: "the arguments, as the journal has them: `arguments.channel`" },
  status: { type: "integer", says: "of the HTTP response" },
  error: { type: "text", says: "why the service rejected it; null if it did not" },
  fault: { type: "text", says: "the fault that it got; null for none" },
  retry: {
    type: "integer",
    says: "how many calls of the same name with the same arguments have failed before it, since one succeeded: 0 for a first attempt",
  },
} as const;

/** The columns that name a call. */
export const CALL_KEY = ["n", "name"];

/** Rows in the order of the calls. */
export function callRows(calls: readonly RunCall[]): JsonObject[] {
  const failures = new Map<string, number>();
  return calls.map(({ n, via, name, arguments: given, status, error, fault }) => {
    const same = JSON.stringify([via, name, given]);
    const retry = failures.get(same) ?? 0;
    const hasFailed = error !== null || status === null || status >= 400;
    failures.set(same, hasFailed ? retry + 1 : 0);
    return { n, via, name, arguments: given, status, error, fault, retry } as JsonObject;
  });
}

/** Whether a call has a name that the pattern selects: a document of GraphQL has one for each of its fields. */
export const isNamed = (pattern: string, row: JsonObject) =>
  String(row["name"])
    .split(", ")
    .some((name) => selects(pattern, name));
