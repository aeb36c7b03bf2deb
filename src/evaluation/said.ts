/** The conditions of a spec without what tests them. */
import type { OperatorName } from "~/evaluation/operators";

export type Condition = {
  readonly path: string;
  readonly operator: OperatorName;
  readonly operand: unknown;
};

/** As a Predicate. */
export type Said =
  | { readonly kind: "leaf"; readonly leaf: Condition }
  | { readonly kind: "all" | "any"; readonly of: readonly Said[] }
  | { readonly kind: "not"; readonly of: Said };
