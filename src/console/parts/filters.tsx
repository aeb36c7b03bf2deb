/** Filters of lists: their values are in the address, so that a filtered list can be sent to somebody. */
import { place, setQuery } from "~/console/place";

/** Searches the shown rows; kept in `q`. */
export function Search({ label = "Filter" }: { label?: string }) {
  return (
    <label>
      {label}
      <input
        type="search"
        placeholder="/ to type"
        value={place.value.query.get("q") ?? ""}
        onInput={({ currentTarget }) => setQuery({ q: currentTarget.value })}
      />
    </label>
  );
}

/** Another choice begins the list at its first page. */
export function Choice({
  label,
  name,
  value,
  options,
}: {
  label: string;
  name: string;
  value: string;
  options: readonly string[];
}) {
  return (
    <label>
      {label}
      <select
        value={value}
        onChange={({ currentTarget }) =>
          setQuery({ [name]: currentTarget.value, cursor: undefined })
        }
      >
        {options.map((option) => (
          <option key={option} value={option}>
            {option || "all"}
          </option>
        ))}
      </select>
    </label>
  );
}

export function More({ onClick }: { onClick: () => void }) {
  return (
    <p>
      <button type="button" onClick={onClick}>
        Older ones
      </button>
    </p>
  );
}
