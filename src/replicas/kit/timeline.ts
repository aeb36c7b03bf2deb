/** The versions of the rows of a table: as a batch of changes shows them, and as they are now. */

type Version<Row> = {
  readonly number: number;
  readonly before: Row | null;
  readonly after: Row | null;
};

type Timeline<Row> = {
  /** The row after the change with this number. Undefined: there was none. */
  readonly at: (key: string, number: number) => Row | undefined;
  /** One version of each known row. */
  readonly rows: readonly Row[];
};

/** `current`: the rows as they are now, of which the changes may know later or earlier versions. */
export function createTimeline<Row>(
  changes: readonly Version<Row>[],
  current: readonly Row[],
  keyOf: (row: Row) => string,
): Timeline<Row> {
  const now = new Map(current.map((row) => [keyOf(row), row]));
  const images = changes.flatMap(({ before, after }) => after ?? before ?? []) as Row[];
  const versions = Map.groupBy(changes, ({ before, after }) => keyOf((after ?? before) as Row));
  return {
    at(key, number) {
      const known = versions.get(key) ?? [];
      const latest = known.findLast((version) => version.number <= number);
      if (latest) return latest.after ?? undefined;
      const [next] = known;
      return (next ? next.before : now.get(key)) ?? undefined;
    },
    rows: [...new Map([...current, ...images].map((row) => [keyOf(row), row])).values()],
  };
}
