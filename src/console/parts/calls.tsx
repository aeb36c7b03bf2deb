/** The calls of a run: a line each, with the places that they touched; a click opens arguments, answer and row changes. */
import { useEffect, useMemo, useState } from "preact/hooks";
import type { Call } from "~/clients/typescript/schema";
import type { Names } from "~/console/names";
import { Badge, Empty } from "~/console/parts/basics";
import { Change } from "~/console/parts/changes";
import { duration } from "~/console/parts/clock";
import { Effect } from "~/console/parts/effect";
import { Gist } from "~/console/parts/gist";
import { useShortcuts } from "~/console/parts/keyboard";
import { Moment, Touched } from "~/console/parts/moment";
import { Sent } from "~/console/parts/sent";
import { Folded, Long } from "~/console/parts/text";
import { VirtualList } from "~/console/parts/virtual";
import type { History } from "~/console/rebuilt";
import { type RunData, serviceOfRun } from "~/console/run-data";
import { serviceOf } from "~/console/services/index";
import { WORLD } from "~/console/services/member";
import type { ConsoleService } from "~/console/services/service";
import { type Line, titleOf } from "~/console/timeline";

const FILTERS = ["all", "with changes", "with errors", "with events"] as const;

/** `wanted`: a call to go to; each new object goes there again. */
export function Calls({
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
  const service = serviceOfRun(data);
  const { Place } = serviceOf(service);
  const lines = useMemo(
    () =>
      all.filter(
        ({ call, changes, sent }) =>
          (filter !== "with changes" || changes.length > 0) &&
          (filter !== "with errors" || Boolean(call?.error)) &&
          (filter !== "with events" || sent.length > 0) &&
          (word === "" ||
            [
              call?.service,
              call?.name,
              JSON.stringify(call?.arguments),
              ...sent.map(({ type }) => type),
            ]
              .join(" ")
              .toLowerCase()
              .includes(word.toLowerCase())),
      ),
    [all, filter, word],
  );
  const [target, setTarget] = useState<{ index: number }>();
  const move = (by: 1 | -1) => {
    const at = lines.findIndex((line) => line.by === chosen);
    const isCall = ({ call }: Line) => call !== undefined;
    const next =
      by === 1
        ? lines.findIndex((line, index) => index > at && isCall(line))
        : lines.findLastIndex((line, index) => index < at && isCall(line));
    if (next < 0) return;
    choose(lines[next]?.call?.n);
    setTarget({ index: next });
  };
  useEffect(() => {
    if (!wanted) return;
    setFilter("all");
    setWord("");
    choose(wanted.n);
    setTarget({ index: all.findIndex(({ by }) => by === wanted.n) });
  }, [wanted]);
  useShortcuts(
    [
      { keys: "j", does: "Go to the next call", perform: () => move(1) },
      { keys: "k", does: "Go to the call before", perform: () => move(-1) },
    ],
    [chosen, lines],
  );
  if (all.length === 0)
    return (
      <section aria-label="Calls">
        <h2>Calls</h2>
        <Empty title="No calls.">
          <p>
            {data.run.status === "running"
              ? "The agent has not called the environment yet."
              : "The agent called nothing during this run, or its journal is off."}
          </p>
        </Empty>
      </section>
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
      <VirtualList
        label="Calls in order"
        items={lines}
        keyOf={({ key }) => key}
        estimate={60}
        target={target}
      >
        {(line) => (
          <CallLine
            line={line}
            history={history}
            Place={Place}
            isWorld={service === WORLD}
            isChosen={line.call !== undefined && line.by === chosen}
            choose={() => choose(line.by === chosen ? undefined : line.call?.n)}
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
  isWorld,
  isChosen,
  choose,
}: {
  line: Line;
  history: History;
  Place: ConsoleService["Place"];
  isWorld: boolean;
  isChosen: boolean;
  choose: () => void;
}) {
  const { call, changes, sent } = line;
  return (
    <article
      class={`call ${isChosen ? "chosen" : ""} ${changes.length > 0 ? "writes" : ""} ${call ? "" : "theirs"}`}
      aria-label={call ? `Call ${call.n}` : titleOf(line)}
    >
      <div>
        {call ? (
          <CallHead
            call={call}
            names={history.names}
            isWorld={isWorld}
            isChosen={isChosen}
            choose={choose}
          />
        ) : (
          <strong>{titleOf(line)}</strong>
        )}
        <Effect of={changes} />
        <Sent of={sent} isOpen={isChosen} />
        {isChosen && call && (
          <>
            <Arguments of={call.arguments} />
            {call.answer !== undefined && <Folded summary="Answer" of={call.answer} />}
          </>
        )}
        {(isChosen || !call) && (
          <div class="changes">
            {changes.slice(0, SHOWN_CHANGES).map((change, index) => (
              <Change key={index} of={change} names={history.names} />
            ))}
            {changes.length > SHOWN_CHANGES && (
              <span class="quiet">and {changes.length - SHOWN_CHANGES} more</span>
            )}
            {call && call.changes === null && (
              <span class="quiet">Its row changes are known when the run ends.</span>
            )}
          </div>
        )}
      </div>
      {changes.length > 0 && (
        <div>
          <Touched line={line} history={history} Place={Place} />
        </div>
      )}
    </article>
  );
}

function CallHead({
  call,
  names,
  isWorld,
  isChosen,
  choose,
}: {
  call: Call;
  names: Names;
  isWorld: boolean;
  isChosen: boolean;
  choose: () => void;
}) {
  const { n, service, name, via, ms, status, error } = call;
  const answered = status === null ? "no answer noted" : `answered ${status}`;
  return (
    <>
      <div class="call-head">
        <button type="button" class="name" aria-expanded={isChosen} onClick={choose}>
          <span class="number quiet">{n}</span> <strong>{name}</strong>
        </button>
        {isWorld && <Badge kind="plain">{service}</Badge>}
        {error && <Badge kind="bad">{error.slice(0, 100)}</Badge>}
        <span class="quiet number" title={`${via}, ${answered}`}>
          {ms === null ? "unknown time" : duration(ms)}
        </span>
      </div>
      {!isChosen && <Gist of={call.arguments} names={names} />}
    </>
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
