/** The types that the modules of the seed share. */
import type { Values } from "~/replicas/tracker/store/entities";

export type Entry = Readonly<Record<string, unknown>>;

/** A list of names that becomes rows of a join table. */
export type Pairs = {
  readonly to: string;
  readonly table: string;
  readonly row: (from: string, target: string, place: SectionContext) => Values;
};
type SectionContext = {
  readonly index: number;
  readonly createdAt: string;
  readonly name: string;
  readonly entry: Entry;
};

/**
 * Entries inside an entry. `key` is the column that refers to the parent; `keep` lists columns that they inherit from
 * it.
 */
export type Nested = {
  readonly section: string;
  readonly key: string;
  readonly keep?: readonly string[];
};

export type Section = {
  readonly type: string;
  /** The field by which other entries refer to it. */
  readonly name?: string;
  /** Whether names are unique only within a team or a project. */
  readonly scoped?: true;
  readonly required?: readonly string[];
  /** Text fields of a type whose rows share a table. */
  readonly texts?: readonly string[];
  /** Lists of names that become a column of ids. */
  readonly ids?: { readonly [field: string]: readonly [to: string, column: string] };
  readonly nested?: { readonly [field: string]: Nested };
  readonly pairs?: { readonly [field: string]: Pairs };
};

/** An entry of the file, with the values that follow from its position. */
export type Item = {
  readonly section: Section;
  readonly entry: Entry;
  readonly path: string;
  readonly index: number;
  readonly id: string;
  readonly createdAt: string;
  /** Columns that follow from the position of the entry. */
  readonly given: Values;
};
