/** The rows that a run changed although nothing in its test explains them, each with the call that made it. */
import { useMemo } from "preact/hooks";
import type { Call, Unsafe } from "~/clients/typescript/schema";
import type { Names } from "~/console/names";
import { shortName } from "~/console/names";
import { Table } from "~/console/parts/basics";
import { shortValue } from "~/console/parts/text";

/** `show` leads to a call. */
export function UnsafeRows({
  of: { count, rows },
  calls,
  names,
  show,
}: {
  of: Unsafe;
  calls: readonly Call[];
  names: Names;
  show: (n: number) => void;
}) {
  const callOf = useMemo(
    () => new Map(calls.flatMap(({ n, changes }) => (changes ?? []).map((event) => [event, n]))),
    [calls],
  );
  if (count === 0) return null;
  return (
    <>
      <h2>Unsafe changes</h2>
      <Table label="Unsafe changes" columns={["Change", "Table", "Row", "Columns", "Made by"]}>
        {rows.map(({ change, table, key, columns = [], event }, index) => {
          const n = event === null ? undefined : callOf.get(event);
          return (
            <tr key={index}>
              <td>{change}</td>
              <td>
                <code>{table}</code>
              </td>
              <td>
                {Object.values(key)
                  .map((value) => shortName(names.get(String(value)) ?? shortValue(value)))
                  .join(" · ")}
              </td>
              <td>{columns.length === 0 ? "–" : <code>{columns.join(", ")}</code>}</td>
              <td>
                {n === undefined ? (
                  "–"
                ) : (
                  <button type="button" onClick={() => show(n)}>
                    Call {n}
                  </button>
                )}
              </td>
            </tr>
          );
        })}
      </Table>
      {count > rows.length && (
        <p class="quiet">
          The first {rows.length} of {count.toLocaleString("en")}.
        </p>
      )}
    </>
  );
}
