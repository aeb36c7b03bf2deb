/** The filters of a list of runs. The server applies them; they are kept in the address. */
import { useEffect, useRef, useState } from "preact/hooks";
import type { RunList, TestSuiteDetails, TestSuiteList } from "~/clients/typescript/schema";
import { get, type Query } from "~/console/api";
import { useLoad } from "~/console/loading";
import { Choice } from "~/console/parts/filters";
import { pathTo, place, setQuery } from "~/console/place";

const VERDICTS = {
  passed: "that passed",
  failed: "that failed",
  unsafe: "that changed something nobody asked for",
  ungraded: "that ended without a verdict",
  running: "that are running",
} as const;
type VerdictFilter = keyof typeof VERDICTS;

const HOUR_MS = 3_600_000;
const SINCE: Readonly<Record<string, readonly [hours: number, text: string]>> = {
  hour: [1, "the last hour"],
  day: [24, "the last 24 hours"],
  week: [7 * 24, "the last 7 days"],
  month: [30 * 24, "the last 30 days"],
};
const CHOSEN = "days";

/** Fields of the address that are filters. */
const FIELDS = [
  ...["text", "suite", "test", "verdict", "label", "since", "from", "to"],
  ...["bookmarked", "environment"],
];
const CLEARED = Object.fromEntries([...FIELDS, "cursor"].map((field) => [field, undefined]));

const field = (name: string) => place.value.query.get(name) ?? "";

/** A label as it is written: `model=gpt-5`. */
function labelOf(text: string): readonly [name: string, value: string] | undefined {
  const at = text.indexOf("=");
  return at > 0 ? [text.slice(0, at).trim(), text.slice(at + 1).trim()] : undefined;
}

/** The filters of the address, as they are: a change of them is a change of the list. */
export const filtersOf = (): readonly string[] => [...FIELDS, "cursor"].map(field);

/** The filters as the server takes them. A time that is relative is so to now. */
export function queryOf(): Query {
  const label = labelOf(field("label"));
  const [hours] = SINCE[field("since")] ?? [];
  const days = field("since") === CHOSEN;
  return {
    text: field("text").trim(),
    testSuiteId: field("suite"),
    testId: field("test"),
    verdict: field("verdict"),
    environmentId: field("environment"),
    bookmarked: field("bookmarked"),
    cursor: field("cursor"),
    ...(label && { [`labels[${label[0]}]`]: label[1] }),
    ...(hours && { from: new Date(Date.now() - hours * HOUR_MS).toISOString() }),
    ...(days && { from: field("from"), to: dayAfter(field("to")) }),
  };
}

/** The day after one, because the server takes the end as excluded. */
function dayAfter(day: string): string {
  const next = new Date(Date.parse(day) + 24 * HOUR_MS);
  return Number.isNaN(next.getTime()) ? "" : next.toISOString();
}

/** The filters in words. */
function wordsOf(suite: string, test: string): string[] {
  const [verdict, label, text] = [field("verdict"), labelOf(field("label")), field("text").trim()];
  const [, since] = SINCE[field("since")] ?? [];
  const days = field("since") === CHOSEN ? [field("from"), field("to")] : [];
  return [
    VERDICTS[verdict as VerdictFilter] ?? "",
    field("test") && `of the test “${test || "unknown"}”`,
    field("suite") && `of the suite “${suite || "unknown"}”`,
    label ? `with the label ${label.join("=")}` : "",
    text && `with “${text}” in a name, a label, the note or an id`,
    since ? `started in ${since}` : "",
    days[0] ? `started on ${days[0]} or later` : "",
    days[1] ? `started until ${days[1]}` : "",
    field("bookmarked") && "with a bookmark",
    field("environment") && `in the environment …${field("environment").slice(-8)}`,
  ].filter(Boolean);
}

const COUNT_MAX = 10_000;
function shown(count: number | undefined): string {
  if (count === undefined) return "…";
  return count.toLocaleString("en") + (count < COUNT_MAX ? "" : " or more");
}

const SUITES_MAX = 1_000;

/** The suites, and the tests of the one that is chosen. */
export function useSuites() {
  const suite = field("suite");
  const suites = useLoad(
    (signal) => get<TestSuiteList>("/testSuites", { limit: SUITES_MAX }, signal),
    [],
  );
  const tests = useLoad(
    async (signal) =>
      suite
        ? await get<TestSuiteDetails>(`/testSuites/${suite}`, { expand: "true" }, signal)
        : undefined,
    [suite],
  );
  return { suites: suites.data?.testSuites ?? [], tests: tests.data?.tests ?? [] };
}
type Suites = ReturnType<typeof useSuites>;

/** Says what was searched, and how much of it was found. `counts`: undefined while it is not known. */
export function Searched({
  counts,
  of: { suites, tests },
}: {
  counts: RunList["counts"];
  of: Suites;
}) {
  const nameOf = (items: readonly { id: string; name: string }[], id: string) =>
    items.find((item) => item.id === id)?.name ?? "";
  const words = wordsOf(nameOf(suites, field("suite")), nameOf(tests, field("test")));
  if (counts?.all === 0) return null;
  const clear = (
    <button type="button" class="link" onClick={() => setQuery(CLEARED)}>
      Clear the filters
    </button>
  );
  return (
    <p class="quiet searched" role="status">
      {words.length === 0 ? (
        `All your runs: ${shown(counts?.all)}`
      ) : (
        <>
          <bdi>
            {shown(counts?.matching)} of your {shown(counts?.all)} runs: those {words.join(", ")}.
          </bdi>{" "}
          {clear}
        </>
      )}
      {field("cursor") && (
        <>
          {" "}
          <a href={pathTo("runs", withoutCursor())}>Back to the newest</a>
        </>
      )}
    </p>
  );
}

const withoutCursor = () => Object.fromEntries(FIELDS.map((name) => [name, field(name)]));

const shorten = (name: string) => (name.length > 60 ? `${name.slice(0, 60)}…` : name);
/** The chosen id too, if it is not among those that are known. */
const optionsOf = (items: readonly { id: string; name: string }[], chosen: string) => [
  ["", "all"] as const,
  ...(chosen && !items.some(({ id }) => id === chosen) ? [[chosen, "…"] as const] : []),
  ...items.map(({ id, name }) => [id, shorten(name)] as const),
];

export function RunFilters({ of: { suites, tests } }: { of: Suites }) {
  return (
    <div class="filters">
      <Typed label="Search" name="text" type="search" placeholder="name, label, note or id" />
      <Choice
        label="Suite"
        name="suite"
        options={optionsOf(suites, field("suite"))}
        clears={["cursor", "test"]}
      />
      {(field("suite") || field("test")) && (
        <Choice label="Test" name="test" options={optionsOf(tests, field("test"))} />
      )}
      <Choice
        label="Verdict"
        name="verdict"
        options={["", ...(Object.keys(VERDICTS) as VerdictFilter[])]}
      />
      <Typed label="Label" name="label" type="text" placeholder="name=value" />
      <Choice
        label="Started"
        name="since"
        options={[
          ["", "any time"],
          ...Object.entries(SINCE).map(([name, [, text]]) => [name, text] as const),
          [CHOSEN, "on days …"],
        ]}
      />
      {field("since") === CHOSEN && (
        <>
          <Typed label="From" name="from" type="date" />
          <Typed label="Until" name="to" type="date" />
        </>
      )}
      <label class="check">
        <input
          type="checkbox"
          checked={field("bookmarked") === "true"}
          onChange={({ currentTarget }) =>
            setQuery({ bookmarked: currentTarget.checked ? "true" : undefined, cursor: undefined })
          }
        />
        Bookmarked
      </label>
    </div>
  );
}

/** The time after a key before the server is asked. */
const TYPING_MS = 250;

/** A field whose text is kept in the address, once typing pauses. */
function Typed({
  label,
  name,
  type,
  placeholder = "",
}: {
  label: string;
  name: string;
  type: "search" | "text" | "date";
  placeholder?: string;
}) {
  const known = field(name);
  const [text, setText] = useState(known);
  const timer = useRef<number | undefined>(undefined);
  useEffect(() => setText(known), [known]);
  useEffect(() => () => clearTimeout(timer.current), []);
  const write = (value: string) => {
    setText(value);
    clearTimeout(timer.current);
    timer.current = window.setTimeout(
      () => setQuery({ [name]: value, cursor: undefined }),
      TYPING_MS,
    );
  };
  return (
    <label>
      {label}
      <input
        type={type as "text"} // the types of Preact have a member for each kind
        placeholder={placeholder}
        value={text}
        maxLength={200}
        onInput={({ currentTarget }) => write(currentTarget.value)}
      />
    </label>
  );
}
