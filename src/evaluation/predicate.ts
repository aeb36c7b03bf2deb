/** Conditions on the values of a row. */
import type { OperatorName, Value as RowValue, Test } from "~/evaluation/operators";

export type Row = { readonly [column: string]: RowValue };

/** One condition on one value, with its parts for explanations. */
export type Leaf = {
  readonly path: string;
  readonly read: (row: Row) => RowValue;
  readonly operator: OperatorName;
  readonly operand: unknown;
  readonly test: Test;
};
export type Predicate =
  | { readonly kind: "leaf"; readonly leaf: Leaf }
  | { readonly kind: "all" | "any"; readonly of: readonly Predicate[] }
  | { readonly kind: "not"; readonly of: Predicate };

/** Compiles a predicate to one function, which runs on tens of thousands of rows. */
export function matcher(predicate: Predicate): (row: Row) => boolean {
  switch (predicate.kind) {
    case "leaf": {
      const { read, test } = predicate.leaf;
      return (row) => test(read(row));
    }
    case "not": {
      const matches = matcher(predicate.of);
      return (row) => !matches(row);
    }
    case "any": {
      const parts = predicate.of.map(matcher);
      return (row) => parts.some((matches) => matches(row));
    }
    case "all": {
      const parts = predicate.of.map(matcher);
      const [only] = parts;
      if (only && parts.length === 1) return only;
      return (row) => parts.every((matches) => matches(row));
    }
  }
}
