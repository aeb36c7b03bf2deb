/** Mutants: what a run might have done instead of the solution, and the expected verdict. */

import { type AuditRow, keyText } from "~/evaluation/audit/rows";
import type { TemplateRows } from "~/evaluation/audit/template-rows";
import type { Keys } from "~/evaluation/candidates";
import type { CompiledSpec } from "~/evaluation/compile";
import type { Row } from "~/evaluation/predicate";

/**
 * `nothing`: the run has not passed and earns nothing. `less`: it has not passed and earns less than the solution.
 * `same`: the verdict is that on the solution.
 */
export type ExpectedVerdict = "nothing" | "less" | "same";
export type Severity = "S1" | "S2";

type Kind = {
  readonly severity: Severity;
  readonly expected: ExpectedVerdict;
  readonly says: string;
};

/** The classes, in the order of reports. */
export const CLASSES = {
  empty: { severity: "S1", expected: "nothing", says: "nothing is done" },
  dropped: { severity: "S1", expected: "less", says: "one of the changes is missing" },
  half: { severity: "S1", expected: "less", says: "only the first half of the calls is made" },
  misplaced: {
    severity: "S1",
    expected: "less",
    says: "the right change in the wrong place: another channel, team or user, one with a similar name first",
  },
  other_row: {
    severity: "S1",
    expected: "less",
    says: "the right change to another row, one with a similar name first",
  },
  wrong_actor: { severity: "S1", expected: "less", says: "the right change by somebody else" },
  doubled: { severity: "S1", expected: "nothing", says: "a row is added twice" },
  foreign_insert: {
    severity: "S1",
    expected: "nothing",
    says: "the solution, and a row is added that nobody asked for",
  },
  foreign_update: {
    severity: "S1",
    expected: "nothing",
    says: "the solution, and a row is changed that nobody asked for",
  },
  foreign_delete: {
    severity: "S1",
    expected: "nothing",
    says: "the solution, and a row is removed that nobody asked for",
  },
  altered: { severity: "S2", expected: "less", says: "a word of a text is another one" },
  emptied: { severity: "S2", expected: "less", says: "a text is empty" },
  swapped: { severity: "S2", expected: "less", says: "a text is that of another row" },
  extra_column: {
    severity: "S2",
    expected: "less",
    says: "a column of a changed or added row that the solution leaves alone has another value",
  },
  undone: {
    severity: "S2",
    expected: "same",
    says: "the solution, and a row is written and restored, another added and removed again",
  },
} as const satisfies { readonly [name: string]: Kind };
export type MutantClass = keyof typeof CLASSES;
export const MUTANT_CLASSES = Object.keys(CLASSES) as MutantClass[];

export type Mutant = {
  readonly class: MutantClass;
  /** Stable for the same solution. */
  readonly name: string;
  /** The difference from the solution, in words. */
  readonly change: string;
  readonly expected: ExpectedVerdict;
  readonly rows: readonly AuditRow[];
  /** Only the first half of the solution's calls was made. */
  readonly isHalf?: true;
  /** The row of the solution that differs, and its column. */
  readonly of?: { readonly row: AuditRow; readonly column?: string };
  /** Damage beside the solution. */
  readonly foreign?: AuditRow;
};

/** The input of the generators of mutants. */
export type MutationInput = {
  readonly spec: CompiledSpec;
  readonly keys: Keys;
  readonly templateRows: TemplateRows;
  /** The user that the agent acts as. */
  readonly actor: string | null;
  /** All rows that the solution changed. */
  readonly rows: readonly AuditRow[];
  /** Those that the test asks for. */
  readonly subjects: readonly AuditRow[];
  /** The keys of rows that the solution changed, as texts, by table. */
  readonly taken: ReadonlyMap<string, ReadonlySet<string>>;
  /** Rows that the solution added, by their ids. */
  readonly created: ReadonlyMap<
    unknown,
    AuditRow & { readonly row: NonNullable<AuditRow["after"]> }
  >;
};

/** The solution with another row, or none, in place of one. */
export const replaced = (
  { rows }: MutationInput,
  row: AuditRow,
  by: AuditRow | undefined,
): readonly AuditRow[] => rows.flatMap((each) => (each === row ? (by ?? []) : each));

const SHOWN_MAX = 80;

/** The key of a row, for people. */
export const shownKey = (keys: Keys, table: string, row: Row) =>
  keyText(keys, table, row).slice(0, SHOWN_MAX);

/** A value for people. */
export const shown = (value: unknown): string => {
  const text = JSON.stringify(value) ?? "null";
  return text.length > SHOWN_MAX ? `${text.slice(0, SHOWN_MAX)}…` : text;
};
