/** Two runs of a test side by side: their verdicts, the assertions, and their calls, with matching calls in one row. */
import { useMemo } from "preact/hooks";
import type { ListedRun, RunList } from "~/clients/typescript/schema";
import { aligned } from "~/console/align";
import { ask, get } from "~/console/api";
import { useLoad } from "~/console/loading";
import type { Names } from "~/console/names";
import { Badge, Empty, Head, Ready, Table } from "~/console/parts/basics";
import { Effect } from "~/console/parts/effect";
import { Choice } from "~/console/parts/filters";
import { Gist } from "~/console/parts/gist";
import { Expected, Sign } from "~/console/parts/reasons";
import { Outcome } from "~/console/parts/run-head";
import { Labels, wordOf } from "~/console/parts/verdict";
import { pathTo } from "~/console/place";
import { createHistory } from "~/console/rebuilt";
import { type RunData, readRun, serviceOfRun } from "~/console/run-data";
import { recordsOf } from "~/console/services/records";
import { type Line, titleOf } from "~/console/timeline";

/** In place of the id of a run. */
export const NEWEST_OTHER = "newest";

const OTHERS_MAX = 100;
/** Calls of a run that are compared: the time grows with the product of both numbers. */
const CALLS_MAX = 500;

export function RunPair({ id, other }: { id: string; other: string }) {
  const first = useLoad(() => readRun(ask, id), [id]);
  const testId = first.data?.run.testId;
  const others = useLoad(
    async (signal) => {
      if (!testId) return [];
      const { runs } = await get<RunList>("/runs", { testId, limit: OTHERS_MAX }, signal);
      return runs.filter(({ runId }) => runId !== id);
    },
    [id, testId],
  );
  const otherId = other === NEWEST_OTHER ? others.data?.[0]?.runId : other;
  const second = useLoad(async () => (otherId ? await readRun(ask, otherId) : null), [otherId]);
  const name = first.data?.run.testName;
  return (
    <>
      <Head
        title={name ? `Two runs of ${name}` : "Two runs"}
        crumbs={[
          ["Runs", pathTo("runs")],
          ["Run", pathTo("runs", id)],
        ]}
        facts={otherId && <a href={pathTo("runs", otherId, { with: id })}>swap sides</a>}
      />
      <Ready of={first}>
        {(left) => (
          <>
            <Others of={others.data ?? []} chosen={otherId} />
            {testId && others.data?.length === 0 && !otherId && (
              <Empty title="This test has no other run." />
            )}
            <Ready of={second}>{(right) => right && <Both left={left} right={right} />}</Ready>
          </>
        )}
      </Ready>
    </>
  );
}

/** The runs that can be the right one. */
function Others({ of, chosen }: { of: readonly ListedRun[]; chosen: string | undefined }) {
  const options = of.map((run) => [run.runId, textOf(run)] as const);
  if (!chosen || options.length === 0) return null;
  const isKnown = options.some(([runId]) => runId === chosen);
  return (
    <div class="filters">
      <Choice
        label="Compare with"
        name="with"
        value={chosen}
        options={isKnown ? options : [[chosen, `…${chosen.slice(-8)}`] as const, ...options]}
      />
    </div>
  );
}

const textOf = (run: ListedRun) =>
  [
    wordOf(run),
    ...Object.entries(run.labels).map(([name, value]) => `${name}=${value}`),
    `…${run.runId.slice(-8)}`,
  ].join(" ");

/** A line with the arguments of its call as text, whole and by name: each line is compared with all of the other run. */
type Compared = Line & { readonly text: string; readonly fields: ReadonlyMap<string, string> };
type Side = { readonly data: RunData; readonly lines: readonly Compared[]; readonly names: Names };

function sideOf(data: RunData): Side {
  const { lines, names } = createHistory(data, recordsOf(serviceOfRun(data)));
  return { data, lines: lines.filter(isShown).slice(0, CALLS_MAX).map(comparedOf), names };
}

/** Events of nobody's call are in the page of one run only. */
const isShown = ({ call, changes }: Line) => call !== undefined || changes.length > 0;

function comparedOf(line: Line): Compared {
  const given = line.call?.arguments ?? null;
  const fields = typeof given === "object" && given ? Object.entries(given) : [];
  return {
    ...line,
    text: JSON.stringify(given),
    fields: new Map(fields.map(([name, value]) => [name, JSON.stringify(value)])),
  };
}

function Both({ left, right }: { left: RunData; right: RunData }) {
  const sides = useMemo(() => [sideOf(left), sideOf(right)] as const, [left, right]);
  return (
    <>
      <div class="pair">
        {sides.map(({ data }, index) => (
          <section key={index} aria-label={SIDES[index]}>
            <h2>
              <a href={pathTo("runs", data.run.runId)}>
                {SIDES[index]} …{data.run.runId.slice(-8)}
              </a>
            </h2>
            <Labels of={data.run.labels} />
            <Outcome data={data} />
          </section>
        ))}
      </div>
      <Assertions left={left} right={right} />
      <h2>Calls</h2>
      <CallPairs sides={sides} />
      {sides.some(({ data, lines }) => data.calls.length > lines.length) && (
        <p class="note">Only the first {CALLS_MAX} calls of each run are compared.</p>
      )}
    </>
  );
}

const SIDES = ["Left run", "Right run"];

/** Those of the test that both runs are of. */
function Assertions({ left, right }: { left: RunData; right: RunData }) {
  const own = left.reasons?.assertions ?? [];
  if (own.length === 0 || left.run.testId !== right.run.testId) return null;
  const others = new Map(right.reasons?.assertions.map((each) => [each.assertion, each]));
  return (
    <>
      <h2>Expected</h2>
      <Table label="Assertions side by side" columns={["Assertion", ...SIDES]}>
        {own.map((reason) => {
          const other = others.get(reason.assertion);
          return (
            <tr key={reason.assertion} class={reason.holds === other?.holds ? "" : "tinted"}>
              <th scope="row">
                <Expected of={reason} />
              </th>
              {[reason, other].map((each, index) => (
                <td key={index}>
                  <Sign holds={each?.holds ?? null} /> {each?.found ?? "–"}
                </td>
              ))}
            </tr>
          );
        })}
      </Table>
    </>
  );
}

/** 0 for different calls; for the same call 1 to 2, by the share of equal arguments. */
function similarity(left: Compared, right: Compared): number {
  const [ours, theirs] = [left.call, right.call];
  if (ours?.name !== theirs?.name || ours?.service !== theirs?.service) return 0;
  if (!ours && left.by !== right.by) return 0;
  if (left.text === right.text) return 2;
  const names = new Set([...left.fields.keys(), ...right.fields.keys()]);
  const same = [...left.fields].filter(([name, text]) => right.fields.get(name) === text);
  return 1 + same.length / (names.size + 1);
}

function CallPairs({ sides: [left, right] }: { sides: readonly [Side, Side] }) {
  const pairs = useMemo(
    () => aligned(left.lines, right.lines, similarity),
    [left.lines, right.lines],
  );
  if (pairs.length === 0) return <Empty title="Neither run has calls." />;
  return (
    <div class="matched">
      <Table label="Calls side by side" columns={["", ...SIDES]}>
        {pairs.map((pair, index) => {
          const relation = relationOf(pair.left, pair.right);
          return (
            <tr key={index} class={relation === "same" ? "" : "tinted"}>
              <td class="quiet">{relation}</td>
              <td>{pair.left && <InShort of={pair.left} names={left.names} />}</td>
              <td>{pair.right && <InShort of={pair.right} names={right.names} />}</td>
            </tr>
          );
        })}
      </Table>
    </div>
  );
}

function relationOf(left: Compared | undefined, right: Compared | undefined): string {
  if (!left) return "only right";
  if (!right) return "only left";
  const isSame =
    left.text === right.text && Boolean(left.call?.error) === Boolean(right.call?.error);
  return isSame ? "same" : "differs";
}

function InShort({ of: line, names }: { of: Line; names: Names }) {
  const { call, changes } = line;
  return (
    <>
      {call ? (
        <>
          <span class="number quiet">{call.n}</span> <strong>{call.name}</strong>{" "}
          {call.error && <Badge kind="bad">{call.error.slice(0, 100)}</Badge>}
          <Gist of={call.arguments} names={names} />
        </>
      ) : (
        titleOf(line)
      )}
      <Effect of={changes} />
    </>
  );
}
