/** Filters of lists. Their values are in the address, so that a filtered list can be shared. */
import type { ComponentChildren } from "preact";
import { Empty, Table } from "~/console/parts/basics";
import { place, setQuery } from "~/console/place";

/** The text of the search field, for comparisons with text in lower case. */
export const searched = () => (place.value.query.get("q") ?? "").trim().toLowerCase();

/** Searches the shown rows; kept in `q`. */
export function Search() {
  return (
    <label>
      Filter
      <input
        type="search"
        placeholder="/ to type"
        value={place.value.query.get("q") ?? ""}
        onInput={({ currentTarget }) => setQuery({ q: currentTarget.value })}
      />
    </label>
  );
}

/** A choice that is kept in `name`. `options`: values, or pairs of value and text. `clears`: fields that it resets. */
export function Choice({
  label,
  name,
  value = place.value.query.get(name) ?? "",
  options,
  clears = ["cursor"],
}: {
  label: string;
  name: string;
  value?: string;
  options: readonly (string | readonly [value: string, text: string])[];
  clears?: readonly string[];
}) {
  const cleared = Object.fromEntries(clears.map((field) => [field, undefined]));
  return (
    <label>
      {label}
      <select
        value={value}
        onChange={({ currentTarget }) => setQuery({ ...cleared, [name]: currentTarget.value })}
      >
        {options.map((option) => {
          const [key, text] = typeof option === "string" ? [option, option || "all"] : option;
          return (
            <option key={key} value={key}>
              {text}
            </option>
          );
        })}
      </select>
    </label>
  );
}

/** Buttons for the parts of a page, of which one is shown: the first by default. Kept in `name`. `clears`: as of a choice. */
export function Tabs({
  label,
  name,
  options,
  clears = [],
}: {
  label: string;
  name: string;
  options: readonly string[];
  clears?: readonly string[];
}) {
  const cleared = Object.fromEntries(clears.map((field) => [field, undefined]));
  const chosen = place.value.query.get(name) ?? options[0];
  return (
    <fieldset class="tabs">
      <legend class="hidden">{label}</legend>
      {options.map((option) => (
        <button
          key={option}
          type="button"
          aria-pressed={option === chosen}
          onClick={() => setQuery({ ...cleared, [name]: option })}
        >
          {option}
        </button>
      ))}
    </fieldset>
  );
}

const SHOWN_MAX = 500;

/** Says how many items are not shown; nothing if all are. */
export function Rest({ count }: { count: number }) {
  if (count <= 0) return null;
  return <p class="quiet">and {count.toLocaleString("en")} more: filter to see them</p>;
}

/** The items of a list that match the search field, as a table, with a button for the next page. */
export function Listing<Item>({
  label,
  columns,
  items,
  textsOf,
  row,
  nextCursor,
  children,
}: {
  label: string;
  columns: readonly ComponentChildren[];
  items: readonly Item[];
  /** The texts of an item that are searched. */
  textsOf: (item: Item) => readonly string[];
  row: (item: Item) => ComponentChildren;
  nextCursor?: string | undefined;
  /** Shown when there are no items. */
  children: ComponentChildren;
}) {
  const word = searched();
  const shown = items.filter((item) =>
    textsOf(item).some((text) => text.toLowerCase().includes(word)),
  );
  return (
    <>
      {shown.length === 0 ? (
        <Empty title={items.length === 0 ? `No ${label.toLowerCase()}.` : "No matches."}>
          {children}
        </Empty>
      ) : (
        <>
          <Table label={label} columns={columns}>
            {shown.slice(0, SHOWN_MAX).map(row)}
          </Table>
          <Rest count={shown.length - SHOWN_MAX} />
        </>
      )}
      {nextCursor && (
        <p>
          <button type="button" onClick={() => setQuery({ cursor: nextCursor })}>
            Next page
          </button>
        </p>
      )}
    </>
  );
}
