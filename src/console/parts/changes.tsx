/** Row changes: beside the call that made them, and as the net effect by table. */
import type { Diff, RunEvent } from "~/clients/typescript/schema";
import type { Names } from "~/console/names";
import { shortName } from "~/console/names";
import { Table } from "~/console/parts/basics";
import { BeforeAfter, counted, shortValue, Value } from "~/console/parts/text";
import type { Row } from "~/console/rows";

/** Columns that change with every write, or that the name of the table says already. */
const NOISE = new Set(["updatedAt", "updated", "bodyData", "sortOrder", "__service__"]);

const SIGNS = { insert: "+", update: "~", delete: "−" } as const;
const WORDS = { insert: "added", update: "changed", delete: "removed" } as const;
/** Columns of a new row that are shown beside its call. */
const FIELDS_MAX = 5;

const named = (value: unknown, names: Names) =>
  typeof value === "string" ? (names.get(value) ?? value) : value;

const isEmpty = (value: unknown) =>
  value === null || value === "" || value === false || (Array.isArray(value) && value.length === 0);

const shownColumns = (row: Row) =>
  Object.entries(row).filter(([column, value]) => !isEmpty(value) && !NOISE.has(column));

export function Change({ of: event, names }: { of: RunEvent; names: Names }) {
  const { operation, table, key, before, after } = event;
  const changed = Object.entries(after ?? {}).filter(([column]) => !NOISE.has(column));
  return (
    <div class={`change ${operation}`}>
      <strong>
        <span aria-hidden="true">{SIGNS[operation]}</span> <code>{table}</code>
        <span class="hidden"> {WORDS[operation]}</span>
      </strong>
      {operation === "update" ? (
        <>
          <span class="quiet">
            {" "}
            {Object.values(key)
              .map((part) => shortName(shortValue(named(part, names))))
              .join(" · ")}
          </span>
          {changed.map(([column, value]) => (
            <div key={column} class="field">
              <code>{column}</code>{" "}
              <BeforeAfter before={named(before?.[column], names)} after={named(value, names)} />
            </div>
          ))}
        </>
      ) : (
        <Fields row={after ?? before ?? key} names={names} />
      )}
    </div>
  );
}

function Fields({ row, names }: { row: Row; names: Names }) {
  const fields = shownColumns(row);
  return (
    <>
      {fields.slice(0, FIELDS_MAX).map(([column, value]) => (
        <div key={column} class="field">
          <code>{column}</code> <Value of={named(value, names)} max={160} />
        </div>
      ))}
      {fields.length > FIELDS_MAX && (
        <span class="quiet">and {counted(fields.length - FIELDS_MAX, "more column")}</span>
      )}
    </>
  );
}

/** The net effect of a run, grouped by table. */
export function NetDiff({ diff, names }: { diff: Diff; names: Names }) {
  const tables = new Set(
    [...diff.inserts, ...diff.updates, ...diff.deletes].map(({ __table__ }) => __table__),
  );
  if (tables.size === 0) return <p class="empty">Nothing changed.</p>;
  return (
    <>
      {[...tables].toSorted().map((table) => (
        <TableDiff key={table} table={table} diff={diff} names={names} />
      ))}
    </>
  );
}

/** Limit of rows that are shown of a table. */
const ROWS_MAX = 200;

function TableDiff({ table, diff, names }: { table: string; diff: Diff; names: Names }) {
  const isOfTable = ({ __table__ }: { __table__: string }) => __table__ === table;
  const inserts = diff.inserts.filter(isOfTable);
  const updates = diff.updates.filter(isOfTable);
  const deletes = diff.deletes.filter(isOfTable);
  const lines = [
    ...updates.map(({ key, before, after }) => ({ sign: "update" as const, key, before, after })),
    ...inserts.map(({ __table__, ...row }) => ({ sign: "insert" as const, row })),
    ...deletes.map(({ __table__, ...row }) => ({ sign: "delete" as const, row })),
  ];
  return (
    <details open>
      <summary>
        <code>{table}</code>{" "}
        <span class="quiet">
          {[
            [inserts.length, "added"] as const,
            [updates.length, "changed"] as const,
            [deletes.length, "removed"] as const,
          ]
            .filter(([count]) => count > 0)
            .map(([count, word]) => `${count} ${word}`)
            .join(", ")}
        </span>
      </summary>
      <Table label={`Changes of ${table}`} columns={["Change", "Row", "Columns"]}>
        {lines.slice(0, ROWS_MAX).map((line, index) => (
          <tr key={index} class={line.sign}>
            <td>{WORDS[line.sign]}</td>
            <td>
              {Object.entries(line.sign === "update" ? line.key : keyLike(line.row)).map(
                ([column, value]) => (
                  <div key={column}>
                    <code>{shortName(shortValue(named(value, names)))}</code>
                  </div>
                ),
              )}
            </td>
            <td>
              {line.sign === "update"
                ? Object.entries(line.after).map(([column, value]) => (
                    <div key={column} class="field">
                      <code>{column}</code>{" "}
                      <BeforeAfter
                        before={named(line.before[column], names)}
                        after={named(value, names)}
                      />
                    </div>
                  ))
                : shownColumns(line.row).map(([column, value]) => (
                    <div key={column} class="field">
                      <code>{column}</code> <Value of={named(value, names)} />
                    </div>
                  ))}
            </td>
          </tr>
        ))}
      </Table>
      {lines.length > ROWS_MAX && (
        <p class="quiet">
          The first {ROWS_MAX} of {lines.length}; all of them are in the JSON.
        </p>
      )}
    </details>
  );
}

/** Columns that identify a row for a reader. */
function keyLike(row: Row): Row {
  const name = ["identifier", "id", "ts", "name"].find((column) => !isEmpty(row[column] ?? null));
  if (name) return { [name]: row[name] };
  return Object.fromEntries(
    Object.entries(row)
      .filter(([column]) => /(_id|Id)$/.test(column))
      .slice(0, 2),
  );
}
