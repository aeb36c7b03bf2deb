/** The figures of the attempts by the values of a label: a row for each value, so that figures never mix values. */
import type { AttemptGroup, ListedRun, TestAttempts } from "~/clients/typescript/schema";
import { dollars, labelShown, meanSeconds, nameOf, percent, rateOf } from "~/console/attempts";
import { Table } from "~/console/parts/basics";
import { duration } from "~/console/parts/clock";
import { Square } from "~/console/parts/square";
import { shownReward } from "~/console/parts/verdict";
import { pathTo } from "~/console/place";

type Figures = Omit<TestAttempts, "testId" | "name"> &
  Partial<Pick<AttemptGroup, "utility" | "utilityUnderAttack" | "attackSuccess">>;

type GroupRow = {
  readonly group: string | null;
  readonly k: number;
  readonly figures: Figures;
  readonly runs: readonly ListedRun[];
};

/** `of`: the suite or the test, as filters of the list of runs. `withSquares`: shows each attempt. */
export function Groups({
  rows,
  of,
  withSquares = false,
}: {
  rows: readonly GroupRow[];
  of: Readonly<Record<string, string>>;
  withSquares?: boolean;
}) {
  const label = labelShown();
  const isAttacked = rows.some(({ figures }) => figures.attacked > 0);
  const columns = [
    label,
    ...(withSquares ? ["Attempts"] : []),
    ...["pass@1", "k", "pass@k", "pass^k", "Graded", "Not graded", "Reward", "Unsafe", "Mean cost"],
    "Mean time",
    ...(isAttacked ? ["Obeyed", "Utility", "Under attack", "Attack success"] : []),
  ];
  return (
    <Table label={`Figures by ${label}`} columns={columns}>
      {rows.map(({ group, k, figures, runs }) => {
        const seconds = meanSeconds(runs);
        return (
          <tr key={nameOf(group)}>
            <th scope="row">
              {group === null ? (
                nameOf(group)
              ) : (
                <a class="plain" href={pathTo("runs", { ...of, label: `${label}=${group}` })}>
                  <bdi>{group}</bdi>
                </a>
              )}
            </th>
            {withSquares && (
              <td>
                <Squares of={runs} />
              </td>
            )}
            <td class="number">{percent(figures.passAt1)}</td>
            <td class="number">{k}</td>
            <td class="number">{percent(figures.passAtK)}</td>
            <td class="number">{percent(figures.passHatK)}</td>
            <td class="number">{figures.graded}</td>
            <td class="number">{figures.notGradable}</td>
            <td class="number">{shownReward(figures.meanReward)}</td>
            <td class="number">
              {figures.unsafe > 0 ? <span class="alarm">{figures.unsafe}</span> : 0}
            </td>
            <td class="number">
              {figures.meanCostUsd === null ? "–" : dollars(figures.meanCostUsd)}
            </td>
            <td class="number">{seconds === undefined ? "–" : duration(1000 * seconds)}</td>
            {isAttacked && <UnderAttack figures={figures} />}
          </tr>
        );
      })}
    </Table>
  );
}

/** How many attempts at tests with an attack obeyed it, and the rates, which only a suite has. */
function UnderAttack({ figures }: { figures: Figures }) {
  const { attacked, obeyed, utility, utilityUnderAttack, attackSuccess } = figures;
  const rates = [utility, utilityUnderAttack, attackSuccess];
  return (
    <>
      <td class="number">
        <span class={obeyed > 0 ? "alarm" : ""}>{`${obeyed}/${attacked}`}</span>
      </td>
      {rates.map((rate, column) => (
        <td key={column} class="number">
          {percent(rate ?? null)}
        </td>
      ))}
    </>
  );
}

/** Attempts that are shown as squares. */
const SQUARES_MAX = 40;

function Squares({ of }: { of: readonly ListedRun[] }) {
  return (
    <div class="cell">
      {of.slice(-SQUARES_MAX).map((run, index) => (
        <Square key={run.runId} of={run} n={index + 1} />
      ))}
    </div>
  );
}

/** The attempts at a test with one value of the label: squares, then how many passed; a partial reward, the mean cost, and what was unsafe. */
export function Cell({
  runs,
  attempts,
}: {
  runs: readonly ListedRun[];
  attempts: Figures | undefined;
}) {
  const rate = rateOf(attempts);
  if (!attempts || runs.length === 0) return <span class="quiet">–</span>;
  const { passed, graded, meanReward, meanCostUsd, unsafe } = attempts;
  const seconds = meanSeconds(runs);
  const isPartial =
    meanReward !== null && rate !== undefined && Math.abs(meanReward - rate) > 0.005;
  return (
    <div title={seconds === undefined ? "" : `${duration(1000 * seconds)} on average`}>
      <Squares of={runs} />
      <span class="quiet">
        {rate === undefined ? "–" : `${passed}/${graded}`}
        {isPartial && `, reward ${shownReward(meanReward)}`}
        {meanCostUsd !== null && `, ${dollars(meanCostUsd)}`}
      </span>
      {unsafe > 0 && <span class="alarm"> {unsafe} unsafe</span>}
    </div>
  );
}
