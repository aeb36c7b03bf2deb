/** The suites that the caller can see. */
import type { TestSuiteList } from "~/clients/typescript/schema";
import { addressOf, get } from "~/console/api";
import { useLoad } from "~/console/loading";
import { Badge, Empty, Head, Id, Ready, Table } from "~/console/parts/basics";
import { AsJson } from "~/console/parts/dialog";
import { Search } from "~/console/parts/filters";
import { pathTo, place } from "~/console/place";

const LIMIT = 1_000;

export function Suites() {
  const word = (place.value.query.get("q") ?? "").trim().toLowerCase();
  const list = useLoad((signal) => get<TestSuiteList>("/testSuites", { limit: LIMIT }, signal), []);
  return (
    <>
      <Head title="Suites">
        <AsJson address={addressOf("/testSuites")} />
      </Head>
      <div class="filters">
        <Search />
      </div>
      <Ready of={list}>
        {({ testSuites }) => {
          const shown = testSuites.filter(({ name, templateName }) =>
            `${name} ${templateName}`.toLowerCase().includes(word),
          );
          if (shown.length === 0)
            return (
              <Empty title={testSuites.length === 0 ? "No suites." : "None fits the filter."}>
                <p>
                  <code>diorama suites import FILE</code> creates one.
                </p>
              </Empty>
            );
          return (
            <Table
              label="Suites"
              columns={["Suite", "Id", "Service", "Template", "Tests", "Visibility"]}
            >
              {shown.map((suite) => (
                <tr key={suite.id}>
                  <td>
                    <a href={pathTo("suites", suite.id)}>
                      <bdi>{suite.name}</bdi>
                    </a>
                    <div class="quiet">{suite.description}</div>
                  </td>
                  <td>
                    <Id id={suite.id} name="suite's id" />
                  </td>
                  <td>
                    <Badge kind="plain">{suite.templateService}</Badge>
                  </td>
                  <td>{suite.templateName}</td>
                  <td class="number">{suite.testCount}</td>
                  <td>{suite.visibility}</td>
                </tr>
              ))}
            </Table>
          );
        }}
      </Ready>
    </>
  );
}
