/** One template: its contents, the ids in it, its world, and its difference from another one. */
import type {
  CreatedEnvironment,
  EnvironmentDetail,
  TemplateDetails,
  TemplateList,
} from "~/clients/typescript/schema";
import { addressOf, ask, call, get } from "~/console/api";
import { useAction, useLoad } from "~/console/loading";
import { World } from "~/console/pages/environment";
import { Failure, Head, Id, Ready } from "~/console/parts/basics";
import { NetDiff } from "~/console/parts/changes";
import { Time } from "~/console/parts/clock";
import { AsJson } from "~/console/parts/dialog";
import { download } from "~/console/parts/download";
import { Choice, Listing, Search, Tabs } from "~/console/parts/filters";
import { SHOWN } from "~/console/parts/members";
import { Long } from "~/console/parts/text";
import { pathTo, place, setQuery } from "~/console/place";
import { namesOf } from "~/console/rebuilt";
import { diffOf, nameOf, readRows } from "~/console/rows";
import { readPeople } from "~/console/services/people";
import { recordsOf } from "~/console/services/records";

const COPY_SECONDS = 900;
/** Two larger templates are not compared in the browser. */
const COMPARED_MAX = 50_000;
const OTHERS_MAX = 1_000;

const sumOf = (tables: Readonly<Record<string, number>>) =>
  Object.values(tables).reduce((sum, count) => sum + count, 0);
const seedPath = (id: string) => `/templates/${encodeURIComponent(id)}/seed`;

export function TemplatePage({ id }: { id: string }) {
  const path = `/templates/${encodeURIComponent(id)}`;
  const loaded = useLoad((signal) => get<TemplateDetails>(path, {}, signal), [id]);
  const { data } = loaded;
  return (
    <>
      <Head
        title={data?.name ?? "Template"}
        kind="template"
        {...(data && { id: data.id })}
        crumbs={[["Templates", pathTo("templates")]]}
        facts={data && <Facts of={data} />}
      >
        {data && <a href={pathTo("playground", { template: data.name })}>Playground</a>}
        {data && <Export of={data} />}
        <AsJson address={addressOf(path)} />
      </Head>
      <Ready of={loaded}>
        {(template) => (
          <>
            <Contents of={template} />
            <Tabs
              label="Parts of the template"
              name="part"
              options={["ids", "world", "difference"]}
            />
            <Part of={template} />
          </>
        )}
      </Ready>
    </>
  );
}

function Part({ of }: { of: TemplateDetails }) {
  const part = place.value.query.get("part");
  if (part === "world") return <Copied of={of} />;
  if (part === "difference") return <Difference of={of} />;
  return <Ids of={of} />;
}

/** Downloads the seed. */
function Export({ of: { name } }: { of: TemplateDetails }) {
  const { error, perform } = useAction();
  const save = async () => {
    const seed = await get<object>(seedPath(name));
    download(`${name}.json`, "application/json", `${JSON.stringify(seed, null, 2)}\n`);
  };
  return (
    <>
      <button type="button" onClick={() => perform(save)} title="A seed for templates import">
        Export
      </button>
      <Failure error={error} />
    </>
  );
}

function Facts({ of: { name, services, visibility, createdAt } }: { of: TemplateDetails }) {
  return (
    <>
      <span>{services.join(", ")}</span>
      <span>{visibility}</span>
      <span>
        created <Time at={createdAt} />
      </span>
      <a href={pathTo("suites", { q: name })}>suites</a>
      <a href={pathTo("environments", { q: name })}>environments</a>
      <a href={pathTo("runs", { text: name })}>runs</a>
    </>
  );
}

function Contents({ of: { description, tables } }: { of: TemplateDetails }) {
  const filled = Object.entries(tables).filter(([, count]) => count > 0);
  return (
    <>
      {description && (
        <p>
          <Long text={description} />
        </p>
      )}
      <ul class="labels" aria-label="Rows by table">
        {filled.map(([table, count]) => (
          <li key={table} class="chip">
            {table} <span class="number">{count.toLocaleString("en")}</span>
          </li>
        ))}
      </ul>
    </>
  );
}

/** The world of a template, shown by an environment that is created for it. */
function Copied({ of }: { of: TemplateDetails }) {
  const id = place.value.query.get("copy");
  const { error, isBusy, perform } = useAction();
  const open = async () => {
    const [user] = await readPeople(ask, of);
    const { environmentId } = await call<CreatedEnvironment>("POST", "/initEnv", {
      body: {
        templateService: of.service,
        templateName: of.name,
        impersonateUserId: String(user?.["id"]),
        ttlSeconds: COPY_SECONDS,
      },
    });
    setQuery({ copy: environmentId });
  };
  if (id) return <CopyWorld key={id} id={id} />;
  return (
    <>
      <p class="line">
        <button type="button" class="main" disabled={isBusy} onClick={() => perform(open)}>
          Show the world
        </button>
        <span class="quiet">in an environment that is deleted after 15 minutes</span>
      </p>
      <Failure error={error} />
    </>
  );
}

function CopyWorld({ id }: { id: string }) {
  const loaded = useLoad((signal) => get<EnvironmentDetail>(`/env/${id}`, {}, signal), [id]);
  const { error, isBusy, perform } = useAction();
  const close = async () => {
    if (loaded.data?.status === "active") await call("DELETE", `/env/${id}`);
    setQuery({ copy: undefined, ...Object.fromEntries(SHOWN.map((field) => [field, undefined])) });
  };
  return (
    <>
      <p class="line">
        <span class="grow">
          Environment <Id id={id} href={pathTo("environments", id)} name="environment's id" />
        </span>
        <button type="button" onClick={() => perform(close)}>
          Close
        </button>
      </p>
      <Failure error={error} />
      {/* Nothing reads the world while it is deleted. */}
      <Ready of={loaded}>{(environment) => (isBusy ? null : <World of={environment} />)}</Ready>
    </>
  );
}

/** The ids that agents, tests and assertions need. */
function Ids({ of: { name, service } }: { of: TemplateDetails }) {
  const rows = useLoad(() => readRows(ask, name, recordsOf(service).identified), [name, service]);
  return (
    <Ready of={rows}>
      {(tables) => (
        <>
          <div class="filters">
            <Search />
          </div>
          <Listing
            label="Ids"
            columns={["Table", "Name", "Id"]}
            items={Object.entries(tables).flatMap(([table, list]) =>
              list
                .filter((row) => "id" in row)
                .map((row) => ({ table, name: nameOf(row), id: String(row["id"]) })),
            )}
            textsOf={({ table, name, id }) => [table, name, id]}
            row={({ table, name, id }) => (
              <tr key={`${table} ${id}`}>
                <td>
                  <code>{table}</code>
                </td>
                <td>
                  <bdi>{name.slice(0, 200)}</bdi>
                </td>
                <td>
                  <Id id={id} name={`id of ${name.slice(0, 50)}`} isWhole />
                </td>
              </tr>
            )}
          >
            <p>The template has no rows.</p>
          </Listing>
        </>
      )}
    </Ready>
  );
}

function Difference({ of }: { of: TemplateDetails }) {
  const other = place.value.query.get("with") ?? "";
  const list = useLoad(
    (signal) => get<TemplateList>("/templates", { service: of.service, limit: OTHERS_MAX }, signal),
    [of.service],
  );
  return (
    <Ready of={list}>
      {({ templates }) => {
        const names = templates.map(({ name }) => name).filter((name) => name !== of.name);
        return (
          <>
            <div class="filters">
              <Choice label="From" name="with" options={[["", "choose a template"], ...names]} />
            </div>
            {other ? (
              <Compared key={other} before={other} after={of} />
            ) : (
              <p class="empty">
                Choose another template to see the rows that {of.name} adds, changes and removes.
              </p>
            )}
          </>
        );
      }}
    </Ready>
  );
}

function Compared({ before, after }: { before: string; after: TemplateDetails }) {
  const records = recordsOf(after.service);
  const loaded = useLoad(async () => {
    const { tables } = await get<TemplateDetails>(`/templates/${encodeURIComponent(before)}`);
    if (sumOf(tables) + sumOf(after.tables) > COMPARED_MAX)
      throw new Error("These templates are too large to be compared here.");
    const [from, to] = await Promise.all([
      readRows(ask, before, ["*"]),
      readRows(ask, after.name, ["*"]),
    ]);
    const base = Object.fromEntries(
      Object.keys({ ...from, ...to }).map((table) => [
        table,
        [...(from[table] ?? []), ...(to[table] ?? [])],
      ]),
    );
    return { diff: diffOf(from, to, records.keys), names: namesOf({ base, events: [] }, records) };
  }, [before, after.name]);
  return <Ready of={loaded}>{({ diff, names }) => <NetDiff diff={diff} names={names} />}</Ready>;
}
