/** The tables of an environment whose service the console knows nothing of. */
import { ask } from "~/console/api";
import { useLoad } from "~/console/loading";
import { type Cause, causesOf, readEndedRuns } from "~/console/marks";
import type { Names } from "~/console/names";
import { Empty, Ready } from "~/console/parts/basics";
import { Choice, Listing, Search } from "~/console/parts/filters";
import { MarkNote } from "~/console/parts/mark-note";
import { shortValue, Value } from "~/console/parts/text";
import { place } from "~/console/place";
import { namesOf } from "~/console/rebuilt";
import { keyText } from "~/console/rows";
import { readOwnRows } from "~/console/services/member";
import type { WorldProps } from "~/console/services/service";
import { type TableRow, tablesAfter } from "~/console/services/tables/data";
import { tableRecords } from "~/console/services/tables/records";

/** Characters of a value that are shown. */
const VALUE_MAX = 120;

export function TableWorld({ environment }: WorldProps) {
  const { environmentId, prefix, run, changedRows } = environment;
  const loaded = useLoad(async () => {
    const [template, runs] = await Promise.all([
      readOwnRows(ask, environment, ["*"]),
      readEndedRuns(environment),
    ]);
    const events = runs.flatMap((each) => each.events.filter((event) => event !== undefined));
    return {
      tables: tablesAfter(template, events),
      causes: causesOf(runs, ({ table, key }) => [keyText(table, key)]),
      names: namesOf({ base: template, events }, tableRecords),
    };
  }, [environmentId, run?.runId, run?.status, changedRows]);
  return (
    <Ready of={loaded}>
      {({ tables, causes, names }) => {
        const all = [...tables.keys()].toSorted();
        const wanted = place.value.query.get("table") ?? "";
        const table = tables.has(wanted) ? wanted : all[0];
        if (table === undefined) return <Empty title="The environment has no rows." />;
        const found = [...tables.values()].flat().filter(({ change }) => change).length;
        return (
          <>
            <div class="filters">
              <Search />
              <Choice label="Table" name="table" value={table} options={all} clears={[]} />
            </div>
            {prefix === undefined && changedRows !== null && changedRows !== found && (
              <p class="quiet">
                {changedRows.toLocaleString("en")} rows differ from the template now. Shown are the
                changes of runs that have ended, {found.toLocaleString("en")} rows.
              </p>
            )}
            <Rows
              key={table}
              table={table}
              rows={tables.get(table) ?? []}
              causes={causes}
              names={names}
            />
          </>
        );
      }}
    </Ready>
  );
}

function Rows({
  table,
  rows,
  causes,
  names,
}: {
  table: string;
  rows: readonly TableRow[];
  causes: ReadonlyMap<string, Cause>;
  names: Names;
}) {
  const columns = [...new Set(rows.flatMap(({ row }) => Object.keys(row)))];
  const shown = (value: unknown) =>
    typeof value === "string" ? (names.get(value) ?? value) : value;
  return (
    <Listing
      label={`Rows of ${table}`}
      columns={["Changed", ...columns]}
      items={rows}
      textsOf={({ row }) => columns.map((column) => shortValue(shown(row[column])))}
      row={({ key, row, change }) => (
        <tr key={key ?? keyText(table, row)} class={change && "tinted"}>
          <td>
            <MarkNote mark={change} cause={causes.get(key ?? "")} />
          </td>
          {columns.map((column) => (
            <td key={column}>
              <Value of={shown(row[column])} max={VALUE_MAX} />
            </td>
          ))}
        </tr>
      )}
    >
      <p>The table is empty.</p>
    </Listing>
  );
}
