/** The tests of a suite by the values of a label, with each attempt as a square that links to its run. */
import type { AttemptGroup, ListedRun, TestSuiteResults } from "~/clients/typescript/schema";
import { attemptsOf, dollars, labelShown, nameOf, percent, rateOf } from "~/console/attempts";
import { Empty, Table } from "~/console/parts/basics";
import { Choice, searched } from "~/console/parts/filters";
import { Cell } from "~/console/parts/groups";
import { SquareLegend } from "~/console/parts/square";
import { pathTo, place } from "~/console/place";

const shownOf = () => place.value.query.get("show") ?? "all";

/** Which tests are shown, and the two columns that are compared. */
export function MatrixFilters({ groups }: { groups: readonly AttemptGroup[] }) {
  const [before, after] = comparedOf(groups);
  const options = groups.map(({ group }) => nameOf(group));
  return (
    <>
      <Choice label="Tests" name="show" value={shownOf()} options={["all", "flaky", "regressed"]} />
      {groups.length > 1 && (
        <>
          <Choice
            label="Compare"
            name="a"
            value={nameOf(before?.group ?? null)}
            options={options}
          />
          <Choice label="with" name="b" value={nameOf(after?.group ?? null)} options={options} />
        </>
      )}
    </>
  );
}

function comparedOf(groups: readonly AttemptGroup[]) {
  const { query } = place.value;
  const find = (name: string | null) => groups.find(({ group }) => nameOf(group) === name);
  return [find(query.get("a")) ?? groups[0], find(query.get("b")) ?? groups[1]] as const;
}

/** The tests that the filters let through; those whose rates differ most come first. */
function testsOf({ results, groups = [] }: TestSuiteResults) {
  const [before, after] = comparedOf(groups);
  const isFlaky = (testId: string) =>
    groups.some((group) => {
      const rate = rateOf(attemptsOf(group, testId));
      return rate !== undefined && rate > 0 && rate < 1;
    });
  const differenceOf = (testId: string) => {
    const [first, second] = [rateOf(attemptsOf(before, testId)), rateOf(attemptsOf(after, testId))];
    return first === undefined || second === undefined || before === after ? 0 : second - first;
  };
  const word = searched();
  return results
    .map(({ testId, name }) => ({ testId, name, difference: differenceOf(testId) }))
    .filter(
      ({ testId, name, difference }) =>
        name.toLowerCase().includes(word) &&
        (shownOf() !== "flaky" || isFlaky(testId)) &&
        (shownOf() !== "regressed" || difference < 0),
    )
    .toSorted((a, b) => Math.abs(b.difference) - Math.abs(a.difference));
}

export function Matrix({ of, runs }: { of: TestSuiteResults; runs: readonly ListedRun[] }) {
  const { suiteId, groups = [] } = of;
  const label = labelShown();
  const cells = Map.groupBy(runs, ({ testId, labels }) => `${testId} ${labels[label] ?? ""}`);
  const shown = testsOf(of);
  if (shown.length === 0) return <Empty title="No matches." />;
  return (
    <div class="matrix">
      <Table
        label="Tests by attempts"
        columns={[
          "Test",
          ...groups.map((group) => <Heading key={nameOf(group.group)} of={group} />),
          ...(groups.length > 1 ? ["Difference"] : []),
        ]}
      >
        {shown.map(({ testId, name, difference }) => (
          <tr key={testId}>
            <th scope="row">
              <a href={pathTo("suites", suiteId, "tests", testId, { by: label })}>
                <bdi>{name}</bdi>
              </a>
            </th>
            {groups.map((group) => (
              <td key={nameOf(group.group)}>
                <Cell
                  runs={cells.get(`${testId} ${group.group ?? ""}`) ?? []}
                  attempts={attemptsOf(group, testId)}
                />
              </td>
            ))}
            {groups.length > 1 && (
              <td class="number">
                <Difference of={difference} />
              </td>
            )}
          </tr>
        ))}
      </Table>
      <SquareLegend />
    </div>
  );
}

function Heading({ of: { group, passAt1, meanCostUsd, unsafe } }: { of: AttemptGroup }) {
  return (
    <div title={nameOf(group)}>
      <bdi>{nameOf(group)}</bdi>
      <div class="quiet">
        {percent(passAt1)}
        {meanCostUsd !== null && `, ${dollars(meanCostUsd)}`}
      </div>
      {unsafe > 0 && <div class="alarm">{unsafe} unsafe</div>}
    </div>
  );
}

function Difference({ of }: { of: number }) {
  if (of === 0) return <>–</>;
  const text = `${of > 0 ? "+" : "−"}${percent(Math.abs(of))}`;
  return of > 0 ? <ins>{text}</ins> : <del>{text}</del>;
}
