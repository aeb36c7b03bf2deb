/** The caller's environments. */
import type { EnvironmentList, ListedEnvironment } from "~/clients/typescript/schema";
import { addressOf, get, type Query } from "~/console/api";
import { useLive } from "~/console/live";
import { useLoad } from "~/console/loading";
import { Head, Id, Ready } from "~/console/parts/basics";
import { Time } from "~/console/parts/clock";
import { AsJson } from "~/console/parts/dialog";
import { EnvironmentActions } from "~/console/parts/environment-actions";
import { Choice, Listing, Search } from "~/console/parts/filters";
import { Verdict } from "~/console/parts/verdict";
import { pathTo, place } from "~/console/place";
import { FIRST_TEMPLATE, KINDS } from "~/console/services/records";

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
        <Choice label="Service" name="service" options={["", ...KINDS]} />
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
  const list = useLoad(
    (signal) => get<EnvironmentList>("/environments", query, signal),
    [JSON.stringify(query)],
  );
  useLive(list.reload, ({ name }) => name === "environment" || name === "run");
  return (
    <Ready of={list}>
      {({ environments, nextCursor }) => (
        <Listing
          label="Environments"
          columns={[
            ...["Environment", "Service", "User", "Newest run", "Created", "Ends"],
            <span key="actions" class="hidden">
              Actions
            </span>,
          ]}
          items={environments}
          textsOf={(each) => [
            ...[each.environmentId, each.templateSchema, each.service, servicesOf(each)],
            ...[each.impersonateUserId, each.run?.runId ?? ""],
          ]}
          row={(environment) => (
            <Row key={environment.environmentId} of={environment} reload={list.reload} />
          )}
          nextCursor={hasMore ? nextCursor : undefined}
        >
          <p>
            <code>diorama.env("{FIRST_TEMPLATE}")</code> of the TypeScript client,{" "}
            <code>POST /api/platform/initEnv</code> or the{" "}
            <a href={pathTo("playground")}>playground</a> creates one.
          </p>
        </Listing>
      )}
    </Ready>
  );
}

const servicesOf = ({ services }: ListedEnvironment) => Object.keys(services).join(", ");

function Row({ of, reload }: { of: ListedEnvironment; reload: () => void }) {
  const isActive = of.status === "active";
  return (
    <tr>
      <td>
        {isActive ? (
          <a class="name" href={pathTo("environments", of.environmentId)}>
            {of.templateSchema}
          </a>
        ) : (
          of.templateSchema
        )}
        <div>
          <Id id={of.environmentId} name="environment's id" />
        </div>
      </td>
      <td>{servicesOf(of)}</td>
      <td>
        <Id id={of.impersonateUserId} name="user's id" />
      </td>
      <td>
        {of.run ? (
          <a href={pathTo("runs", of.run.runId)} title={of.run.runId}>
            <Verdict run={of.run} />
          </a>
        ) : (
          "–"
        )}
      </td>
      <td>
        <Time at={of.createdAt} />
      </td>
      <td>{isActive ? <Time at={of.expiresAt} /> : "ended"}</td>
      <td>
        {isActive && (
          <div class="actions">
            <EnvironmentActions of={of} isRow reload={reload} leave={reload} />
          </div>
        )}
      </td>
    </tr>
  );
}
