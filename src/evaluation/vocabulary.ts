import type { Aliases } from "~/input/aliases";

/** The names that a spec may use: the template's tables, and the columns that the service computes. */
export type Vocabulary = {
  readonly tables: readonly {
    readonly name: string;
    readonly columns: readonly { readonly name: string; readonly type: string }[];
    /** Columns of the primary key. */
    readonly key?: readonly string[];
  }[];
  readonly derived: { readonly [table: string]: readonly string[] };
  /** By table: a column that is true of rows that follow from a call by themselves. */
  readonly derivedRows?: { readonly [table: string]: string };
  /** The names of the calls of all services. */
  readonly calls: ReadonlySet<string>;
  /** The types of events of all services. */
  readonly events?: ReadonlySet<string>;
  readonly services?: readonly string[];
  /** It has several services: its tables have their names in front. */
  readonly isWorld?: boolean;
  /** Other names of tables, which specs may use. */
  readonly tableAliases?: { readonly [name: string]: string } | undefined;
  /** Earlier ids, which specs and texts of a run may use: they mean the present ones. */
  readonly aliases?: Aliases;
};
