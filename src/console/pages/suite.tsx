/** The results of a suite: figures by the values of a label, and its tests with each attempt. */
import type { TestSuiteDetails, TestSuiteResults } from "~/clients/typescript/schema";
import { addressOf, get } from "~/console/api";
import { labelShown, labelsOf, readAttempts, runsByGroup } from "~/console/attempts";
import { useLive } from "~/console/live";
import { useLoad } from "~/console/loading";
import { AuditPage } from "~/console/pages/suite-audit";
import { TestPage } from "~/console/pages/test";
import { Empty, Head, Ready } from "~/console/parts/basics";
import { AsJson } from "~/console/parts/dialog";
import { ExportAttempts } from "~/console/parts/export-attempts";
import { Choice, Search } from "~/console/parts/filters";
import { Groups } from "~/console/parts/groups";
import { Matrix, MatrixFilters } from "~/console/parts/matrix";
import { counted, Long } from "~/console/parts/text";
import { pathTo, place } from "~/console/place";

/** The attempts at a suite, its audit, or one of its tests. */
export function SuitePage({ id }: { id: string }) {
  const { parts, query } = place.value;
  const [, , part, testId] = parts;
  if (part === "tests" && testId) return <TestPage key={testId} suiteId={id} id={testId} />;
  return query.get("part") === "audit" ? <AuditPage id={id} /> : <Attempts id={id} />;
}

function Attempts({ id }: { id: string }) {
  const label = labelShown();
  const suite = useLoad(
    (signal) => get<TestSuiteDetails>(`/testSuites/${id}`, { expand: "true" }, signal),
    [id],
  );
  const results = useLoad(
    (signal) => get<TestSuiteResults>(`/testSuites/${id}/results`, { groupBy: label }, signal),
    [id, label],
  );
  const runs = useLoad((signal) => readAttempts({ testSuiteId: id }, signal), [id]);
  const reload = () => {
    results.reload();
    runs.reload();
  };
  useLive(reload, ({ name, data }) => name === "run" && data["testSuiteId"] === id);
  return (
    <>
      <Head
        title={results.data?.name ?? "Suite"}
        kind="suite"
        id={id}
        crumbs={[["Suites", pathTo("suites")]]}
        facts={
          <>
            {results.data && <span>{counted(results.data.testCount, "test")}</span>}
            {suite.data?.templateName && (
              <span>
                template{" "}
                <a href={pathTo("templates", suite.data.templateName)}>{suite.data.templateName}</a>
              </span>
            )}
            <a href={pathTo("runs", { suite: id })}>all runs</a>
          </>
        }
      >
        <a href={pathTo("suites", id, { part: "audit" })}>Audit</a>
        <AsJson address={addressOf(`/testSuites/${id}/results`, { groupBy: label })} />
        {results.data && <ExportAttempts of={results.data} />}
      </Head>
      {suite.data?.description && (
        <p>
          <Long text={suite.data.description} />
        </p>
      )}
      <Ready of={results}>
        {(data) => (
          <Ready of={runs}>
            {(list) => {
              const groups = data.groups ?? [];
              const labels = labelsOf(list);
              const byGroup = runsByGroup(list, label);
              return (
                <>
                  {groups.length > 0 && (
                    <>
                      <h2>Figures</h2>
                      <Groups
                        of={{ suite: id }}
                        rows={groups.map((figures) => ({
                          group: figures.group,
                          k: figures.k,
                          figures,
                          runs: byGroup.get(figures.group) ?? [],
                        }))}
                      />
                    </>
                  )}
                  <h2>Attempts</h2>
                  <div class="filters">
                    <Search />
                    <Choice label="Columns by" name="by" value={label} options={labels} />
                    <MatrixFilters groups={groups} />
                  </div>
                  {groups.length > 0 ? <Matrix of={data} runs={list} /> : <Tests of={data} />}
                </>
              );
            }}
          </Ready>
        )}
      </Ready>
    </>
  );
}

/** The tests of a suite that nothing has tried. */
function Tests({ of: { suiteId, results } }: { of: TestSuiteResults }) {
  return (
    <>
      <Empty title="No attempts.">
        <p>
          <code>diorama suites run {suiteId.slice(0, 8)}… --command '…'</code> runs the suite with
          an agent.
        </p>
      </Empty>
      <h2>Tests</h2>
      <ul>
        {results.map(({ testId, name }) => (
          <li key={testId}>
            <a href={pathTo("suites", suiteId, "tests", testId)}>
              <bdi>{name}</bdi>
            </a>
          </li>
        ))}
      </ul>
    </>
  );
}
