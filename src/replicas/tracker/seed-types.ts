/** The types that the modules of the seed share. */
import type { Values } from "~/replicas/tracker/store/entities";

export type Entry = Readonly<Record<string, unknown>>;

/** A list of names that becomes rows which connect two entities. */
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

/** Entries inside an entry. `key` is the column that leads back to it; `keep` are columns that they share with it. */
export type Nested = {
  readonly section: string;
  readonly key: string;
  readonly keep?: readonly string[];
};

export type Section = {
  readonly type: string;
  /** What other entries call it. */
  readonly name?: string;
  /** Whether two teams, or two projects, may each have one of that name. */
  readonly scoped?: true;
  readonly required?: readonly string[];
  /** Of a type whose rows share a table: fields that are text. */
  readonly texts?: readonly string[];
  /** Lists of names that become a column of ids. */
  readonly ids?: { readonly [field: string]: readonly [to: string, column: string] };
  readonly nested?: { readonly [field: string]: Nested };
  readonly pairs?: { readonly [field: string]: Pairs };
};

/** One entry of the file with what its place in it says. */
export type Item = {
  readonly section: Section;
  readonly entry: Entry;
  readonly path: string;
  readonly index: number;
  readonly id: string;
  readonly createdAt: string;
  /** Columns that follow from where it stands. */
  readonly given: Values;
};
