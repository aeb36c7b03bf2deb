/** The caller's environments. */
import { useState } from "preact/hooks";
import type { EnvironmentList, ListedEnvironment } from "~/clients/typescript/schema";
import { addressOf, call, get, type Query } from "~/console/api";
import { useLive } from "~/console/live";
import { useLoad } from "~/console/loading";
import { Badge, Head, Id, Ready } from "~/console/parts/basics";
import { Time } from "~/console/parts/clock";
import { AsJson, Confirm } from "~/console/parts/dialog";
import { Choice, Listing, Search } from "~/console/parts/filters";
import { pathTo, place } from "~/console/place";

const PER_PAGE = 200;

export function Environments() {
  const { query } = place.value;
  const service = query.get("service") ?? "";
  const status = query.get("status") ?? "active";
  const cursor = query.get("cursor") ?? undefined;
  const wanted = { service, status: status === "all" ? "" : status, limit: PER_PAGE, cursor };
  return (
    <>
      <Head title="Environments">
        <AsJson address={addressOf("/environments", wanted)} />
      </Head>
      <div class="filters">
        <Search />
        <Choice label="Service" name="service" options={["", "chat", "tracker"]} />
        <Choice
          label="Status"
          name="status"
          value={status}
          options={["active", "deleted", "all"]}
        />
      </div>
      <EnvironmentTable query={wanted} hasMore />
    </>
  );
}

export function EnvironmentTable({ query, hasMore = false }: { query: Query; hasMore?: boolean }) {
  const [ending, setEnding] = useState<string>();
  const list = useLoad(
    (signal) => get<EnvironmentList>("/environments", query, signal),
    [JSON.stringify(query)],
  );
  useLive(list.reload, ({ name }) => name === "environment");
  const end = async () => {
    await call("DELETE", `/env/${ending}`);
    list.reload();
  };
  return (
    <Ready of={list}>
      {({ environments, nextCursor }) => (
        <>
          <Listing
            label="Environments"
            columns={["Environment", "Service", "Template", "Created", "Ends", "Actions"]}
            items={environments}
            textsOf={({ environmentId, templateSchema, service }) => [
              environmentId,
              templateSchema,
              service,
            ]}
            row={(environment) => (
              <Row
                key={environment.environmentId}
                of={environment}
                end={() => setEnding(environment.environmentId)}
              />
            )}
            nextCursor={hasMore ? nextCursor : undefined}
          >
            <p>
              <code>diorama.env("chat_default")</code> of the TypeScript client or{" "}
              <code>POST /api/platform/initEnv</code> creates one.
            </p>
          </Listing>
          {ending && (
            <Confirm
              title="Delete the environment?"
              action="Delete"
              close={() => setEnding(undefined)}
              perform={end}
            >
              <p>
                <code>{ending}</code> and its data are deleted. Its run, if one is running, ends as
                failed.
              </p>
            </Confirm>
          )}
        </>
      )}
    </Ready>
  );
}

function Row({ of, end }: { of: ListedEnvironment; end: () => void }) {
  const isActive = of.status === "active";
  return (
    <tr>
      <td>
        <Id
          id={of.environmentId}
          name="environment's id"
          {...(isActive && { href: pathTo("environments", of.environmentId) })}
        />
      </td>
      <td>
        <Badge kind="plain">{of.service}</Badge>
      </td>
      <td>{of.templateSchema}</td>
      <td>
        <Time at={of.createdAt} />
      </td>
      <td>{isActive ? <Time at={of.expiresAt} /> : "ended"}</td>
      <td>
        {isActive && (
          <button type="button" class="danger" onClick={end}>
            Delete
          </button>
        )}
      </td>
    </tr>
  );
}
