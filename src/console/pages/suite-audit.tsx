/** The audit of a suite: what its tests do not notice, and what to write into their specs. */
import type {
  SurvivingMutant,
  TestAudit,
  TestSuiteAudit,
  TestSuiteDetails,
} from "~/clients/typescript/schema";
import { addressOf, get } from "~/console/api";
import { useLoad } from "~/console/loading";
import { Badge, Empty, Head, Ready, Table, Tile } from "~/console/parts/basics";
import { AsJson } from "~/console/parts/dialog";
import { searched } from "~/console/parts/filters";
import { pathTo } from "~/console/place";

export function AuditPage({ id }: { id: string }) {
  const suite = useLoad((signal) => get<TestSuiteDetails>(`/testSuites/${id}`, {}, signal), [id]);
  return (
    <>
      <Head title={`Audit of ${suite.data?.name ?? "a suite"}`} kind="suite" id={id}>
        <a href={pathTo("suites", id)}>Attempts</a>
        <AsJson address={addressOf(`/testSuites/${id}/audit`)} />
      </Head>
      <Audit id={id} />
    </>
  );
}

function Audit({ id }: { id: string }) {
  const audit = useLoad(
    (signal) => get<TestSuiteAudit>(`/testSuites/${id}/audit`, {}, signal),
    [id],
  );
  return (
    <Ready of={audit}>
      {(data) => (
        <>
          <Counts of={data} />
          <MutantTable
            of={data.tests.filter(({ name }) => name.toLowerCase().includes(searched()))}
          />
          {data.tests.map((test) => (
            <Findings key={test.testId} of={test} />
          ))}
        </>
      )}
    </Ready>
  );
}

function Counts({ of }: { of: TestSuiteAudit }) {
  const tiles = [
    ["Mutants", of.mutants],
    ["Killed", of.killed],
    ["Accepted", of.accepted],
    ["Survivors of S1", of.s1],
    ["Survivors of S2", of.s2],
  ] as const;
  return (
    <>
      <p class="quiet">
        The solution of each test, changed in many ways. A mutant that passes all the same survives:
        S1 is damage, or nothing done; S2 is content that no assertion checks.
      </p>
      <dl class="tiles">
        {tiles.map(([name, value]) => (
          <Tile key={name} name={name}>
            {value}
          </Tile>
        ))}
      </dl>
    </>
  );
}

const STATES: Readonly<Record<string, string>> = {
  no_solution: "no solution known",
  solution_fails: "solution fails",
  invalid: "invalid spec",
  no_template: "no template",
  out_of_time: "out of time",
};

export function MutantTable({ of: tests }: { of: readonly TestAudit[] }) {
  if (tests.length === 0) return <Empty title="No matches." />;
  return (
    <Table label="Mutants by test" columns={["Test", "Mutants", "Killed", "Accepted", "S1", "S2"]}>
      {tests.map((test) => (
        <tr key={test.testId}>
          <th scope="row">
            <bdi>{test.name}</bdi> <State of={test} />
          </th>
          {(["mutants", "killed", "accepted", "s1", "s2"] as const).map((name) => (
            <td key={name} class="number">
              {test[name]}
            </td>
          ))}
        </tr>
      ))}
    </Table>
  );
}

function State({ of: { state } }: { of: TestAudit }) {
  const words = STATES[state];
  if (!words) return null;
  return <Badge kind={state === "solution_fails" ? "failed" : "unsure"}>{words}</Badge>;
}

/** The problems of a test; nothing without one. */
export function Findings({ of: { name, survivors, s1, s2, failures, stale } }: { of: TestAudit }) {
  const more = s1 + s2 - survivors.length;
  if (survivors.length + failures.length + stale.length === 0) return null;
  return (
    <section class="findings">
      <h2>
        <bdi>{name}</bdi>
      </h2>
      <ul>
        {failures.map((failure) => (
          <li key={failure}>{failure}</li>
        ))}
        {survivors.map((survivor) => (
          <Survivor key={survivor.mutant} of={survivor} />
        ))}
        {more > 0 && <li>{more} more</li>}
        {stale.map((mutant) => (
          <li key={mutant}>
            It accepts <code>{mutant}</code>, which no survivor is named.
          </li>
        ))}
      </ul>
    </section>
  );
}

function Survivor({ of }: { of: SurvivingMutant }) {
  return (
    <li>
      <Badge kind={of.severity === "S1" ? "failed" : "unsure"}>{of.severity}</Badge>{" "}
      <code>{of.mutant}</code>
      <p>
        {of.change}. It {of.passed ? "passes" : "does not pass"}, with the reward {of.reward}.
      </p>
      <p>
        Proposal: <bdi>{of.proposal}</bdi>
      </p>
    </li>
  );
}
