/** Rows of a service that the console knows nothing of. */
import { keysOf, keyText, pick, type Row } from "~/console/rows";
import { readOwnRows } from "~/console/services/member";
import { type ServiceRecords, USERS } from "~/console/services/shape";

/** Columns that may name a row. */
const NAMES = ["id", "identifier", "real_name", "name", "title"];

export const tableRecords: ServiceRecords = {
  people: USERS,
  identified: ["*"],
  subject: undefined,
  keys: {},
  /** Each table is a place. */
  placeOf: () => undefined,
  ownersOf: () => [],
  precedes: () => false,
  named: (_table, name) => name,
  membersOf: () => undefined,

  /** The template's rows that the changes concern, and the names of others. */
  async base(ask, environment, events) {
    const tables = await readOwnRows(ask, environment, ["*"]);
    const keys = keysOf(events);
    const changed = new Set(events.map(({ table, key }) => keyText(table, key)));
    const shown = (table: string, row: Row) =>
      changed.has(keyText(table, pick(row, keys[table] ?? []))) ? row : pick(row, NAMES);
    return Object.fromEntries(
      Object.entries(tables).map(([table, rows]) => [table, rows.map((row) => shown(table, row))]),
    );
  },
};
