/** A run: its verdict, its calls beside their changes and the places they touched, and its net effect. */
import { useEffect, useMemo, useState } from "preact/hooks";
import type { Call } from "~/clients/typescript/schema";
import { Badge, Empty } from "~/console/parts/basics";
import { Change, NetDiff } from "~/console/parts/changes";
import { duration } from "~/console/parts/clock";
import { Failures } from "~/console/parts/failures";
import { useShortcuts } from "~/console/parts/keyboard";
import { Moment, Touched } from "~/console/parts/moment";
import { Summary } from "~/console/parts/run-summary";
import { Long } from "~/console/parts/text";
import { UnsafeRows } from "~/console/parts/unsafe";
import { VirtualList } from "~/console/parts/virtual";
import { createHistory, type History, type Line } from "~/console/rebuilt";
import { type RunData, serviceOfRun } from "~/console/run-data";
import { serviceOf } from "~/console/services/index";
import { recordsOf } from "~/console/services/records";
import type { ConsoleService } from "~/console/services/service";

export function RunView({ data, isSaved = false }: { data: RunData; isSaved?: boolean }) {
  const history = useMemo(() => createHistory(data, recordsOf(serviceOfRun(data))), [data]);
  const [wanted, want] = useState<{ readonly n: number }>();
  const { names } = history;
  const { unsafe } = data.run;
  return (
    <>
      <Summary data={data} isSaved={isSaved} />
      <Failures of={data.run.explanations ?? []} failures={data.run.failures} names={names} />
      {unsafe && (
        <UnsafeRows of={unsafe} calls={data.calls} names={names} show={(n) => want({ n })} />
      )}
      <Calls data={data} history={history} wanted={wanted} />
      <h2>Net effect</h2>
      {data.run.diff ? (
        <NetDiff diff={data.run.diff} names={names} />
      ) : (
        <p class="empty">
          {data.run.status === "running"
            ? "It is known when the run ends."
            : `It is not known: ${data.run.cause === "agent_limit" ? "the run exceeded a limit" : "the run is not gradable"}.`}
        </p>
      )}
    </>
  );
}

const FILTERS = ["all", "with changes", "with errors"] as const;

/** `wanted`: a call to go to; each new object goes there again. */
function Calls({
  data,
  history,
  wanted,
}: {
  data: RunData;
  history: History;
  wanted: { readonly n: number } | undefined;
}) {
  const [chosen, choose] = useState<number>();
  const [filter, setFilter] = useState<(typeof FILTERS)[number]>("all");
  const [word, setWord] = useState("");
  const { lines: all } = history;
  const { Place } = serviceOf(serviceOfRun(data));
  const lines = useMemo(
    () =>
      all.filter(
        ({ call, changes }) =>
          (filter !== "with changes" || changes.length > 0) &&
          (filter !== "with errors" || Boolean(call?.error)) &&
          (word === "" ||
            `${call?.name} ${JSON.stringify(call?.arguments)}`
              .toLowerCase()
              .includes(word.toLowerCase())),
      ),
    [all, filter, word],
  );
  const [target, setTarget] = useState<{ index: number }>();
  const at = chosen === undefined ? -1 : lines.findIndex(({ n }) => n === chosen);
  const move = (by: number) => {
    const index = Math.min(Math.max(at + by, 0), lines.length - 1);
    choose(lines[index]?.n);
    setTarget({ index });
  };
  useEffect(() => {
    if (!wanted) return;
    setFilter("all");
    setWord("");
    choose(wanted.n);
    setTarget({ index: all.findIndex(({ n }) => n === wanted.n) });
  }, [wanted]);
  useShortcuts(
    [
      { keys: "j", does: "Go to the next call", perform: () => move(1) },
      { keys: "k", does: "Go to the call before", perform: () => move(-1) },
    ],
    [at, lines],
  );
  if (all.length === 0)
    return (
      <Empty title="No calls.">
        <p>
          {data.run.status === "running"
            ? "The agent has not called the environment yet."
            : "The agent called nothing during this run, or its journal is off."}
        </p>
      </Empty>
    );
  return (
    <section aria-label="Calls">
      <h2>Calls</h2>
      <div class="filters">
        <label>
          Filter
          <input
            type="search"
            value={word}
            onInput={({ currentTarget }) => setWord(currentTarget.value)}
          />
        </label>
        <label>
          Show
          <select
            value={filter}
            onChange={({ currentTarget }) =>
              setFilter(currentTarget.value as (typeof FILTERS)[number])
            }
          >
            {FILTERS.map((each) => (
              <option key={each}>{each}</option>
            ))}
          </select>
        </label>
        <span class="quiet" role="status">
          {lines.length} of {all.length}
        </span>
      </div>
      <div class="columns" aria-hidden="true">
        <span>Call</span>
        <span>Row changes</span>
        <span>In the world</span>
      </div>
      <VirtualList
        label="Calls in order"
        items={lines}
        keyOf={({ n }) => n}
        estimate={180}
        target={target}
      >
        {(line) => (
          <CallLine
            line={line}
            history={history}
            Place={Place}
            isChosen={line.n === chosen}
            choose={() => choose(line.n)}
          />
        )}
      </VirtualList>
      <Moment data={data} history={history} chosen={chosen} choose={choose} />
    </section>
  );
}

const SHOWN_CHANGES = 12;

function CallLine({
  line,
  history,
  Place,
  isChosen,
  choose,
}: {
  line: Line;
  history: History;
  Place: ConsoleService["Place"];
  isChosen: boolean;
  choose: () => void;
}) {
  const { n, call, changes } = line;
  return (
    <article
      class={`call ${isChosen ? "chosen" : ""}`}
      aria-label={call ? `Call ${n}` : "Changes of no call"}
    >
      <div>
        {call ? (
          <CallHead call={call} isChosen={isChosen} choose={choose} />
        ) : (
          <strong>Changes that no call made</strong>
        )}
      </div>
      <div>
        {changes.slice(0, SHOWN_CHANGES).map((change, index) => (
          <Change key={index} of={change} names={history.names} />
        ))}
        {changes.length > SHOWN_CHANGES && (
          <span class="quiet">and {changes.length - SHOWN_CHANGES} more</span>
        )}
        {call && call.changes === null && <span class="quiet">known when the run ends</span>}
      </div>
      <div>
        <Touched line={line} history={history} Place={Place} />
      </div>
    </article>
  );
}

function CallHead({
  call,
  isChosen,
  choose,
}: {
  call: Call;
  isChosen: boolean;
  choose: () => void;
}) {
  const { n, name, via, ms, status, error } = call;
  return (
    <>
      <button type="button" class="name" aria-pressed={isChosen} onClick={choose}>
        <span class="number quiet">{n}</span> <strong>{name}</strong>
      </button>
      <div class="quiet">
        {via} · {ms === null ? "unknown time" : duration(ms)} ·{" "}
        {error ? <Badge kind="bad">{error.slice(0, 100)}</Badge> : (status ?? "no answer noted")}
      </div>
      <Arguments of={call.arguments} />
      {call.answer !== undefined && <Answer of={call.answer} />}
    </>
  );
}

/** Rendered when it is opened: an answer may be large. */
function Answer({ of }: { of: unknown }) {
  const [isOpen, setOpen] = useState(false);
  return (
    <details onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary>Answer</summary>
      {isOpen && (
        <pre>
          <Long text={JSON.stringify(of, null, 1)} />
        </pre>
      )}
    </details>
  );
}

/** Arguments as lines; a GraphQL document as it was written. */
function Arguments({ of }: { of: unknown }) {
  if (of === null || typeof of !== "object") return null;
  return (
    <dl class="arguments">
      {Object.entries(of).map(([name, value]) => {
        const isObject = typeof value === "object" && value !== null;
        if (isObject && Object.keys(value).length === 0) return null;
        return (
          <div key={name}>
            <dt>{name}</dt>
            <dd>
              <Long text={typeof value === "string" ? value : JSON.stringify(value)} max={300} />
            </dd>
          </div>
        );
      })}
    </dl>
  );
}
