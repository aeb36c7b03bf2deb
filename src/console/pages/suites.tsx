/** The suites that the caller can see. */
import type { TestSuiteList } from "~/clients/typescript/schema";
import { addressOf, get } from "~/console/api";
import { useLoad } from "~/console/loading";
import { Badge, Head, Id, Ready } from "~/console/parts/basics";
import { AsJson } from "~/console/parts/dialog";
import { Listing, Search } from "~/console/parts/filters";
import { pathTo } from "~/console/place";

const LIMIT = 1_000;

export function Suites() {
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
        {({ testSuites }) => (
          <Listing
            label="Suites"
            columns={["Suite", "Id", "Service", "Template", "Tests", "Visibility"]}
            items={testSuites}
            textsOf={({ name, templateName }) => [name, templateName]}
            row={(suite) => (
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
                <td>
                  <a class="plain" href={pathTo("templates", suite.templateName)}>
                    {suite.templateName}
                  </a>
                </td>
                <td class="number">{suite.testCount}</td>
                <td>{suite.visibility}</td>
              </tr>
            )}
          >
            <p>
              <code>diorama suites import FILE</code> creates one.
            </p>
          </Listing>
        )}
      </Ready>
    </>
  );
}
