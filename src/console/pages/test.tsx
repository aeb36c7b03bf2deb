/** A test: what it asks, what it expects in words, the attempts at it, and what it does not notice. */
import { type ComponentChildren, Fragment } from "preact";
import { useState } from "preact/hooks";
import type {
  TestDetails,
  TestSuiteAudit,
  TestSuiteResults,
  TestWords,
} from "~/clients/typescript/schema";
import { addressOf, get } from "~/console/api";
import { attemptsOf, labelShown, labelsOf, readAttempts, runsByGroup } from "~/console/attempts";
import { useLive } from "~/console/live";
import { useLoad } from "~/console/loading";
import { Findings, MutantTable } from "~/console/pages/suite-audit";
import { Neighbours } from "~/console/parts/attempts";
import { Empty, Head, Ready } from "~/console/parts/basics";
import { AsJson, Code } from "~/console/parts/dialog";
import { Choice } from "~/console/parts/filters";
import { Groups } from "~/console/parts/groups";
import { Expected } from "~/console/parts/reasons";
import { SquareLegend } from "~/console/parts/square";
import { Long } from "~/console/parts/text";
import { pathTo } from "~/console/place";

export function TestPage({ suiteId, id }: { suiteId: string; id: string }) {
  const label = labelShown();
  const test = useLoad((signal) => get<TestDetails>(`/tests/${id}`, {}, signal), [id]);
  const results = useLoad(
    (signal) => get<TestSuiteResults>(`/testSuites/${suiteId}/results`, { groupBy: label }, signal),
    [suiteId, label],
  );
  const all = results.data?.results ?? [];
  const at = all.findIndex(({ testId }) => testId === id);
  const to = (testId: string | undefined) =>
    testId ? pathTo("suites", suiteId, "tests", testId, { by: label }) : undefined;
  return (
    <>
      <Head
        title={test.data?.name ?? "Test"}
        kind="test"
        id={id}
        crumbs={[
          ["Suites", pathTo("suites")],
          [results.data?.name ?? "Suite", pathTo("suites", suiteId, { by: label })],
        ]}
        facts={test.data && <Facts of={test.data} />}
      >
        {at >= 0 && (
          <nav class="attempts" aria-label="Other tests">
            <span class="quiet">
              test {at + 1} of {all.length}
            </span>
            <Neighbours
              kind="test"
              previous={to(all[at - 1]?.testId)}
              next={to(all[at + 1]?.testId)}
            />
          </nav>
        )}
        <AsJson address={addressOf(`/tests/${id}`)} />
      </Head>
      <Ready of={test}>{(data) => <Task of={data} />}</Ready>
      <Results id={id} suiteId={suiteId} results={results} />
      {test.data && <Audit id={id} suiteId={suiteId} />}
    </>
  );
}

function Facts({ of: { id, templateName, impersonateUserId, surfaces } }: { of: TestDetails }) {
  return (
    <>
      <span>
        template <a href={pathTo("templates", templateName)}>{templateName}</a>
      </span>
      {impersonateUserId && (
        <span>
          as <code>{impersonateUserId}</code>
        </span>
      )}
      {surfaces && <span>can be solved by {surfaces.join(" or ")}</span>}
      <a href={pathTo("runs", { test: id })}>all runs</a>
    </>
  );
}

/** The task of a test, and its assertions in words. */
function Task({ of: { id, renderedPrompt, expectedOutput } }: { of: TestDetails }) {
  const words = useLoad((signal) => get<TestWords>(`/tests/${id}/words`, {}, signal), [id]);
  return (
    <>
      <h2>Asked</h2>
      <blockquote class="prompt">
        <Long text={renderedPrompt} />
      </blockquote>
      <h2>Expected</h2>
      <Ready of={words}>
        {({ assertions, closedWorld, allowed }) => (
          <ul class="reasons">
            {assertions.map((each) => (
              <li key={each.assertion}>
                <span class="quiet number">{each.assertion}</span>
                <div class="grow">
                  <Expected of={each} />
                </div>
              </li>
            ))}
            {[closedWorld, ...allowed.map((each) => `Allowed: ${each}`)].map(
              (sentence) =>
                sentence && (
                  <li key={sentence}>
                    <div class="grow">
                      <Long text={sentence} />
                    </div>
                  </li>
                ),
            )}
          </ul>
        )}
      </Ready>
      <Opened title="As it is written">
        {() => <Code text={JSON.stringify(expectedOutput, null, 2)} name="assertions" />}
      </Opened>
    </>
  );
}

function Results({
  id,
  suiteId,
  results,
}: {
  id: string;
  suiteId: string;
  results: ReturnType<typeof useLoad<TestSuiteResults>>;
}) {
  const label = labelShown();
  const runs = useLoad(
    (signal) => readAttempts({ testSuiteId: suiteId, testId: id }, signal),
    [suiteId, id],
  );
  const reload = () => {
    results.reload();
    runs.reload();
  };
  useLive(reload, ({ name, data }) => name === "run" && data["testId"] === id);
  return (
    <>
      <h2>Attempts</h2>
      <Ready of={results}>
        {({ groups = [] }) => (
          <Ready of={runs}>
            {(list) => {
              const byGroup = runsByGroup(list, label);
              const rows = groups.flatMap((of) => {
                const { group, k } = of;
                const [figures, own] = [attemptsOf(of, id), byGroup.get(group)];
                return figures && own ? [{ group, k, figures, runs: own }] : [];
              });
              if (list.length === 0)
                return (
                  <Empty title="No attempts.">
                    <p>
                      <code>diorama suites run … --test '…' --command '…'</code> runs an agent on
                      this test.
                    </p>
                  </Empty>
                );
              return (
                <>
                  <div class="filters">
                    <Choice label="Rows by" name="by" value={label} options={labelsOf(list)} />
                  </div>
                  <Groups rows={rows} of={{ test: id }} withSquares />
                  <SquareLegend />
                </>
              );
            }}
          </Ready>
        )}
      </Ready>
    </>
  );
}

/** Read when it is opened: the server makes one audit at a time. */
function Audit({ id, suiteId }: { id: string; suiteId: string }) {
  return (
    <>
      <h2>Audit</h2>
      <Opened title="What this test does not notice">
        {() => <Survivors id={id} suiteId={suiteId} />}
      </Opened>
    </>
  );
}

function Survivors({ id, suiteId }: { id: string; suiteId: string }) {
  const audit = useLoad(
    (signal) => get<TestSuiteAudit>(`/testSuites/${suiteId}/audit`, { testId: id }, signal),
    [suiteId, id],
  );
  return (
    <Ready of={audit}>
      {({ tests }) => (
        <>
          <MutantTable of={tests} />
          {tests.map((test) => (
            <Fragment key={test.testId}>
              {test.survivors.length === 0 && <p>Nothing survives.</p>}
              <Findings of={test} />
            </Fragment>
          ))}
        </>
      )}
    </Ready>
  );
}

/** A part whose content is rendered when it is opened. */
function Opened({ title, children }: { title: string; children: () => ComponentChildren }) {
  const [isOpen, setOpen] = useState(false);
  return (
    <details onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary>{title}</summary>
      {isOpen && children()}
    </details>
  );
}
