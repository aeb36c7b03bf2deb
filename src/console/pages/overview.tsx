/** Whether the server is well, and the newest environments and runs. */
import type { Health } from "~/clients/typescript/schema";
import { addressOf, get } from "~/console/api";
import { useLoad } from "~/console/loading";
import { EnvironmentTable } from "~/console/pages/environments";
import { RunTable } from "~/console/pages/runs";
import { Badge, Head, Ready } from "~/console/parts/basics";
import { AsJson } from "~/console/parts/dialog";
import { pathTo } from "~/console/place";

const NEWEST = 8;

export function Overview() {
  const health = useLoad((signal) => get<Health>("/health", {}, signal), []);
  return (
    <>
      <Head title="Overview">
        <AsJson address={addressOf("/health")} />
      </Head>
      <Ready of={health}>
        {({ status, version, database, capture }) => (
          <dl class="tiles">
            <div>
              <dt>Server</dt>
              <dd>
                <Badge kind={status === "ok" ? "good" : "bad"}>{status}</Badge>
              </dd>
              <dd class="quiet">version {version}</dd>
            </div>
            <div>
              <dt>Database</dt>
              <dd>
                <Badge kind={database === "ok" ? "good" : "bad"}>{database}</Badge>
              </dd>
            </div>
            <div>
              <dt>Capture</dt>
              <dd>{capture.state}</dd>
              {capture.lagBytes !== undefined && (
                <dd class="quiet">{capture.lagBytes} bytes behind</dd>
              )}
            </div>
          </dl>
        )}
      </Ready>
      <h2>
        <a href={pathTo("environments")}>Newest environments</a>
      </h2>
      <EnvironmentTable query={{ status: "active", limit: NEWEST }} />
      <h2>
        <a href={pathTo("runs")}>Newest runs</a>
      </h2>
      <RunTable query={{ limit: NEWEST }} />
    </>
  );
}
