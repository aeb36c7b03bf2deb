/** The templates that the caller can see. */
import type { TemplateList } from "~/clients/typescript/schema";
import { addressOf, get } from "~/console/api";
import { useLoad } from "~/console/loading";
import { Head, Ready } from "~/console/parts/basics";
import { Time } from "~/console/parts/clock";
import { AsJson } from "~/console/parts/dialog";
import { Choice, Listing, Search } from "~/console/parts/filters";
import { pathTo, place } from "~/console/place";
import { KINDS } from "~/console/services/records";

const PER_PAGE = 200;

export function Templates() {
  const { query } = place.value;
  const service = query.get("service") ?? "";
  const wanted = { service, limit: PER_PAGE, cursor: query.get("cursor") ?? undefined };
  const list = useLoad(
    (signal) => get<TemplateList>("/templates", wanted, signal),
    [JSON.stringify(wanted)],
  );
  return (
    <>
      <Head title="Templates">
        <AsJson address={addressOf("/templates", wanted)} />
      </Head>
      <div class="filters">
        <Search />
        <Choice label="Service" name="service" options={["", ...KINDS]} />
      </div>
      <Ready of={list}>
        {({ templates, nextCursor }) => (
          <Listing
            label="Templates"
            columns={["Template", "Service", "Visibility", "Created"]}
            items={templates}
            textsOf={({ name, description }) => [name, description]}
            row={({ id, name, services, description, visibility, createdAt }) => (
              <tr key={id}>
                <td>
                  <a href={pathTo("templates", name)}>{name}</a>
                  <div class="quiet">
                    <bdi>{description.slice(0, 300)}</bdi>
                  </div>
                </td>
                <td>{services.join(", ")}</td>
                <td>{visibility}</td>
                <td>
                  <Time at={createdAt} />
                </td>
              </tr>
            )}
            nextCursor={nextCursor}
          >
            <p>
              <code>diorama templates import FILE</code> creates one.
            </p>
          </Listing>
        )}
      </Ready>
    </>
  );
}
