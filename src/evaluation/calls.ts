/** The calls of a run as rows, for assertions that count them. */
import type { JsonObject } from "~/capture/fold";
import type { Predicate } from "~/evaluation/predicate";
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
  readonly service?: string | undefined;
  /** Of a call that stands for several which do not differ in what is asked of them: how many, and their `retry`. */
  readonly times?: number;
  readonly retry?: number;
};

/** A call that has just ended. */
export type EndedCall = Omit<RunCall, "n" | "times" | "retry">;

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

export const hasFailed = ({ status, error }: Pick<RunCall, "status" | "error">) =>
  error !== null || status === null || status >= 400;

/** Rows in the order of the calls. */
export function callRows(calls: readonly RunCall[]): JsonObject[] {
  const failures = new Map<string, number>();
  return calls.map(({ n, via, name, arguments: given, status, error, fault, ...group }) => {
    const row = { n, via, name, arguments: given, status, error, fault };
    if (group.times !== undefined) return { ...row, retry: group.retry ?? 0 } as JsonObject;
    const same = JSON.stringify([via, name, given, group.service]);
    const retry = failures.get(same) ?? 0;
    failures.set(same, hasFailed(row) ? retry + 1 : 0);
    return { ...row, retry } as JsonObject;
  });
}

/** The parts of calls that a spec reads: the names, and the fields of their conditions. */
export type CallsWanted = {
  readonly names: readonly string[];
  readonly fields: ReadonlySet<string>;
};

export function callsWanted(
  assertions: readonly {
    readonly diffType: string;
    readonly entity: string;
    readonly service: string | undefined;
    readonly where: Predicate;
  }[],
): CallsWanted {
  const wanted = assertions.filter(({ diffType }) => diffType === "called");
  return {
    names: [...new Set(wanted.map(({ entity }) => entity))],
    fields: new Set(
      wanted.flatMap(({ where, service }) => [
        ...fieldsOf(where),
        ...(service === undefined ? [] : ["service"]),
      ]),
    ),
  };
}

/** The first parts of the paths of a condition. */
export function fieldsOf(predicate: Predicate): string[] {
  if (predicate.kind === "leaf") return [predicate.leaf.path.split(".")[0] ?? ""];
  return [predicate.of].flat().flatMap(fieldsOf);
}

/** Whether a call has a name that the pattern selects: a document of GraphQL has one for each of its fields. */
export const isNamed = (pattern: string, { name }: { readonly name?: unknown }) =>
  String(name)
    .split(", ")
    .some((name) => selects(pattern, name));
