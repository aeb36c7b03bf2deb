/** A place as users see it: what its service shows of it, and the other rows that a run changed there. */
import type { ComponentChildren } from "preact";
import { type Names, shortName } from "~/console/names";
import { Long } from "~/console/parts/text";
import type { RebuiltRow } from "~/console/rebuilt";
import { BY, type By } from "~/console/timeline";

/** Rows of a table that are shown of one place: the last ones. */
export const SHOWN_MAX = 60;

/** The rows of one place. `latest`: whose changes are marked most. */
export type PlaceProps = {
  readonly id: string;
  readonly rows: readonly RebuiltRow[];
  readonly names: Names;
  readonly latest: By;
};

function wordsOf(by: By): string {
  if (typeof by === "string") return BY[by];
  return by === 0 ? "no call" : `call ${by}`;
}

/** Marks a row that the run changed, by colour and in words. */
export function Marked({
  of,
  latest,
  children,
}: {
  of: RebuiltRow;
  latest: By;
  children: ComponentChildren;
}) {
  const { changedBy, isGone } = of;
  if (changedBy === undefined) return <div class="thing">{children}</div>;
  const kind = [changedBy === latest ? "latest" : "", isGone ? "gone" : ""].join(" ");
  const by = `changed by ${wordsOf(changedBy)}`;
  return (
    <div class={`thing tinted ${kind}`} title={by}>
      {children}
      <span class="by">{isGone ? `removed, ${by}` : by}</span>
    </div>
  );
}

/** `drawn`: tables whose rows the children show, and those whose rows only accompany other changes. */
export function PlaceFrame({
  of: { id, rows, names, latest },
  drawn,
  children,
}: {
  of: PlaceProps;
  drawn: readonly string[];
  children?: ComponentChildren;
}) {
  const others = rows
    .filter(({ changedBy, table }) => changedBy !== undefined && !drawn.includes(table))
    .slice(-SHOWN_MAX);
  return (
    <div class="place">
      <h3>{names.get(id) ?? shortName(id)}</h3>
      {children}
      {others.map((other, index) => (
        <Marked key={index} of={other} latest={latest}>
          <Other of={other} names={names} />
        </Marked>
      ))}
    </div>
  );
}

function Other({ of: { table, row, isGone }, names }: { of: RebuiltRow; names: Names }) {
  const title = ["name", "title", "identifier", "user_id", "labelId", "type"]
    .map((column) => row[column])
    .find((value) => typeof value === "string" && value !== "") as string | undefined;
  return (
    <>
      <span class="quiet">
        {table.replaceAll("_", " ")}
        {isGone ? " (removed)" : ""}:
      </span>{" "}
      <Long text={title === undefined ? "a row" : (names.get(title) ?? title)} max={200} />
    </>
  );
}
