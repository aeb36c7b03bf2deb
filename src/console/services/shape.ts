/** A service's rows, as the console reads them. Needs no browser: the command that writes a run to a file reads them too. */
import type { RunEvent } from "~/clients/typescript/schema";
import type { Ask, Keys, Row, Rows } from "~/console/rows";
import type { ServiceEnvironment } from "~/console/services/member";

/** The table of the people that an agent can act as. */
type People = {
  readonly table: string;
  /** The column that identifies a person. */
  readonly id: string;
  /** False of another row, such as a group. */
  readonly includes: (row: Row) => boolean;
};

/** Rows of people, each with its id in `id`. */
export const peopleIn = ({ id, includes }: People, rows: readonly Row[] = []): Row[] =>
  rows.filter(includes).map((row) => ({ ...row, id: row[id] }));

/** The table of people of most services. */
export const USERS: People = { table: "users", id: "id", includes: () => true };

export type ServiceRecords = {
  readonly people: People;
  /** Tables whose ids calls and assertions name. */
  readonly identified: readonly string[];
  /** The table whose first row an example of a call is about; undefined if examples need none. */
  readonly subject: string | undefined;
  readonly keys: Keys;
  /** The id of the place that a row belongs to; anything but a text if it belongs to none. */
  readonly placeOf: (table: string, row: Row) => unknown;
  /** The rows that a changed one may belong to, with the columns of their keys. */
  readonly ownersOf: (table: string, row: Row) => readonly (readonly [table: string, row: Row])[];
  /** Whether a row of a place was there before another one with this key, and so may be its context. */
  readonly precedes: (table: string, row: Row, key: Row) => boolean;
  /** The name of a row that has one, as it is written in this service. */
  readonly named: (table: string, name: string) => string;
  /** Ids of the rows that a row without a name is called after. */
  readonly membersOf: (table: string, row: Row) => readonly string[] | undefined;
  /** Known rows of an environment at the start of a run with these changes, by table. */
  readonly base: (
    ask: Ask,
    environment: ServiceEnvironment,
    events: readonly RunEvent[],
  ) => Promise<Rows>;
};
