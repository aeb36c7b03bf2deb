/** Two runs of a test side by side: their verdicts, the assertions, and their calls, of which the alike ones stand in one line. */
import { useMemo } from "preact/hooks";
import type { Call, ListedRun, RunList } from "~/clients/typescript/schema";
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
import { createHistory, type Line } from "~/console/rebuilt";
import { type RunData, readRun, serviceOfRun } from "~/console/run-data";
import { recordsOf } from "~/console/services/records";

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

/** The runs that can stand at the right. */
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

type Side = { readonly data: RunData; readonly lines: readonly Line[]; readonly names: Names };

function sideOf(data: RunData): Side {
  const { lines, names } = createHistory(data, recordsOf(serviceOfRun(data)));
  return { data, lines: lines.slice(0, CALLS_MAX), names };
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
                <td key={index} class={each?.holds === false ? "fails" : ""}>
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

const textOfArguments = (call: Call | undefined) => JSON.stringify(call?.arguments ?? null);

/** The same call by its name; more alike with more equal arguments. */
function likeness({ call: left }: Line, { call: right }: Line): number {
  if (left?.name !== right?.name || left?.service !== right?.service) return 0;
  const [ours, theirs] = [left?.arguments, right?.arguments];
  if (textOfArguments(left) === textOfArguments(right)) return 2;
  if (!isRecord(ours) || !isRecord(theirs)) return 1;
  const names = [...new Set([...Object.keys(ours), ...Object.keys(theirs)])];
  const same = names.filter((name) => JSON.stringify(ours[name]) === JSON.stringify(theirs[name]));
  return 1 + same.length / (names.length + 1);
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null;

function CallPairs({ sides: [left, right] }: { sides: readonly [Side, Side] }) {
  const pairs = useMemo(
    () => aligned(left.lines, right.lines, likeness),
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

function relationOf(left: Line | undefined, right: Line | undefined): string {
  if (!left) return "only right";
  if (!right) return "only left";
  const isSame = textOfArguments(left.call) === textOfArguments(right.call);
  return isSame && Boolean(left.call?.error) === Boolean(right.call?.error) ? "same" : "differs";
}

function InShort({ of: { n, call, changes }, names }: { of: Line; names: Names }) {
  return (
    <>
      {call ? (
        <>
          <span class="number quiet">{n}</span> <strong>{call.name}</strong>{" "}
          {call.error && <Badge kind="bad">{call.error.slice(0, 100)}</Badge>}
          <Gist of={call.arguments} names={names} />
        </>
      ) : (
        "Changes that no call made"
      )}
      <Effect of={changes} />
    </>
  );
}
