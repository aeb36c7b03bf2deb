/** The results of a suite: tests by the values of a label, with each attempt as a square that links to its run. */
import type {
  AttemptGroup,
  ListedRun,
  RunList,
  TestAttempts,
  TestSuiteResults,
} from "~/clients/typescript/schema";
import { addressOf, get } from "~/console/api";
import { useLive } from "~/console/live";
import { useLoad } from "~/console/loading";
import { AuditPage } from "~/console/pages/suite-audit";
import { Empty, Head, Ready, Table, Tile } from "~/console/parts/basics";
import { AsJson } from "~/console/parts/dialog";
import { ExportAttempts } from "~/console/parts/export-attempts";
import { Choice, Search, searched } from "~/console/parts/filters";
import { Square, SquareLegend } from "~/console/parts/square";
import { shownReward } from "~/console/parts/verdict";
import { pathTo, place } from "~/console/place";

const RUNS_PER_PAGE = 1_000;
const RUNS_MAX = 5_000;
const LABEL_DEFAULT = "model";

/** The newest attempts, oldest first. */
async function readRuns(suiteId: string, signal: AbortSignal): Promise<ListedRun[]> {
  const found: ListedRun[] = [];
  let cursor: string | undefined;
  do {
    const query = { testSuiteId: suiteId, limit: RUNS_PER_PAGE, cursor };
    const page: RunList = await get<RunList>("/runs", query, signal);
    found.push(...page.runs);
    cursor = page.nextCursor;
  } while (cursor && found.length < RUNS_MAX);
  return found.toReversed();
}

/** The attempts at a suite, or its audit. */
export function SuitePage({ id }: { id: string }) {
  return place.value.query.get("part") === "audit" ? <AuditPage id={id} /> : <Attempts id={id} />;
}

function Attempts({ id }: { id: string }) {
  const label = place.value.query.get("by") || LABEL_DEFAULT;
  const results = useLoad(
    (signal) => get<TestSuiteResults>(`/testSuites/${id}/results`, { groupBy: label }, signal),
    [id, label],
  );
  const runs = useLoad((signal) => readRuns(id, signal), [id]);
  const reload = () => {
    results.reload();
    runs.reload();
  };
  useLive(reload, ({ name, data }) => name === "run" && data["testSuiteId"] === id);
  const labels = new Set((runs.data ?? []).flatMap((run) => Object.keys(run.labels)));
  return (
    <>
      <Head title={results.data?.name ?? "Suite"} kind="suite" id={id}>
        <a href={pathTo("suites", id, { part: "audit" })}>Audit</a>
        <AsJson address={addressOf(`/testSuites/${id}/results`, { groupBy: label })} />
        {results.data && <ExportAttempts of={results.data} />}
      </Head>
      <Ready of={results}>
        {(data) => (
          <>
            <Summary of={data} />
            <div class="filters">
              <Search />
              <Choice
                label="Columns by"
                name="by"
                value={label}
                options={[...new Set([label, ...labels])]}
              />
              <Choice
                label="Tests"
                name="show"
                value={shownOf()}
                options={["all", "flaky", "regressed"]}
              />
              <Columns groups={data.groups ?? []} />
            </div>
            <Ready of={runs}>{(list) => <Matrix of={data} runs={list} label={label} />}</Ready>
          </>
        )}
      </Ready>
    </>
  );
}

const shownOf = () => place.value.query.get("show") ?? "all";

function Summary({ of }: { of: TestSuiteResults }) {
  const tiles = [
    ["Tests", of.testCount],
    ["Passed", of.passed],
    ["Failed", of.failed],
    ["Running", of.running],
    ["Not run", of.notRun],
    ["Passed of all", `${of.percent} %`],
  ] as const;
  return (
    <>
      <p class="quiet">The latest run of each test:</p>
      <dl class="tiles">
        {tiles.map(([name, value]) => (
          <Tile key={name} name={name}>
            {value}
          </Tile>
        ))}
      </dl>
      <h2>Attempts</h2>
    </>
  );
}

const nameOf = (group: string | null) => group ?? "without label";

/** The two columns that are compared. */
function Columns({ groups }: { groups: readonly AttemptGroup[] }) {
  const [before, after] = comparedOf(groups);
  if (groups.length < 2) return null;
  const options = groups.map(({ group }) => nameOf(group));
  return (
    <>
      <Choice label="Compare" name="a" value={nameOf(before?.group ?? null)} options={options} />
      <Choice label="with" name="b" value={nameOf(after?.group ?? null)} options={options} />
    </>
  );
}

function comparedOf(groups: readonly AttemptGroup[]) {
  const { query } = place.value;
  const find = (name: string | null) => groups.find(({ group }) => nameOf(group) === name);
  return [find(query.get("a")) ?? groups[0], find(query.get("b")) ?? groups[1]] as const;
}

const percent = (share: number | null) =>
  share === null ? "–" : `${(100 * share).toFixed(share === 1 || share === 0 ? 0 : 1)} %`;

const attemptsOf = (group: AttemptGroup | undefined, testId: string) =>
  group?.tests.find((test) => test.testId === testId);
const rateOf = (attempts: TestAttempts | undefined) =>
  attempts && attempts.graded > 0 ? attempts.passed / attempts.graded : undefined;

function Matrix({
  of,
  runs,
  label,
}: {
  of: TestSuiteResults;
  runs: readonly ListedRun[];
  label: string;
}) {
  const groups = of.groups ?? [];
  const [before, after] = comparedOf(groups);
  const word = searched();
  const isFlaky = (testId: string) =>
    groups.some((group) => {
      const rate = rateOf(attemptsOf(group, testId));
      return rate !== undefined && rate > 0 && rate < 1;
    });
  const difference = (testId: string) => {
    const [first, second] = [rateOf(attemptsOf(before, testId)), rateOf(attemptsOf(after, testId))];
    return first === undefined || second === undefined || before === after ? 0 : second - first;
  };
  const shown = of.results.filter(
    ({ testId, name }) =>
      name.toLowerCase().includes(word) &&
      (shownOf() !== "flaky" || isFlaky(testId)) &&
      (shownOf() !== "regressed" || difference(testId) < 0),
  );
  const cells = Map.groupBy(runs, ({ testId, labels }) => `${testId} ${labels[label] ?? ""}`);
  if (groups.length === 0)
    return (
      <Empty title="No attempts.">
        <p>
          <code>diorama suites run {of.suiteId.slice(0, 8)}… --command '…'</code> runs the suite
          with an agent.
        </p>
      </Empty>
    );
  if (shown.length === 0) return <Empty title="No matches." />;
  return (
    <>
      <Table
        label="Tests by attempts"
        columns={[
          "Test",
          ...groups.map((group) => <Heading key={nameOf(group.group)} of={group} />),
          ...(groups.length > 1 ? ["Difference"] : []),
        ]}
      >
        {shown.map(({ testId, name }) => (
          <tr key={testId}>
            <th scope="row">
              <bdi>{name}</bdi>
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
                <Difference of={difference(testId)} />
              </td>
            )}
          </tr>
        ))}
      </Table>
      <SquareLegend />
    </>
  );
}

function Heading({ of }: { of: AttemptGroup }) {
  const { group, k, passAt1, passAtK, passHatK, graded, notGradable } = of;
  return (
    <>
      <bdi>{nameOf(group)}</bdi>
      <div class="quiet">
        pass@1 {percent(passAt1)}
        {k > 1 && `, pass@${k} ${percent(passAtK)}, pass^${k} ${percent(passHatK)}`}
      </div>
      <div class="quiet">
        {graded} graded{notGradable > 0 && `, ${notGradable} not`}
      </div>
      <div class="quiet">
        reward {shownReward(of.meanReward)}, {of.successful} successful, {of.unsafe} unsafe
      </div>
    </>
  );
}

function Difference({ of }: { of: number }) {
  if (of === 0) return <>–</>;
  const text = `${of > 0 ? "+" : "−"}${percent(Math.abs(of))}`;
  return of > 0 ? <ins>{text}</ins> : <del>{text}</del>;
}

/** Attempts of a cell that are shown as squares. */
const SQUARES_MAX = 40;

function Cell({
  runs,
  attempts,
}: {
  runs: readonly ListedRun[];
  attempts: TestAttempts | undefined;
}) {
  return (
    <div class="cell">
      {runs.slice(-SQUARES_MAX).map((run, index) => (
        <Square key={run.runId} of={run} n={index + 1} />
      ))}
      <span class="quiet">
        {attempts && attempts.graded > 0
          ? `${attempts.passed}/${attempts.graded}, reward ${shownReward(attempts.meanReward)}`
          : "–"}
        {attempts && attempts.unsafe > 0 && `, ${attempts.unsafe} unsafe`}
      </span>
    </div>
  );
}
