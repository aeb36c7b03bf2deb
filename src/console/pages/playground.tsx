/** An environment to try: created from a template, called by a form, with code for agents. */
import { signal } from "@preact/signals";
import { useState } from "preact/hooks";
import type {
  CreatedEnvironment,
  EnvironmentDetail,
  Template,
  TemplateList,
} from "~/clients/typescript/schema";
import { addressOf, ask, call, get } from "~/console/api";
import { useAction, useLoad } from "~/console/loading";
import { Empty, Failure, Head, Id, Ready } from "~/console/parts/basics";
import { Time } from "~/console/parts/clock";
import { AsJson, Code } from "~/console/parts/dialog";
import { Choice, Tabs } from "~/console/parts/filters";
import { Members } from "~/console/parts/members";
import { TryCall } from "~/console/parts/try-call";
import { pathTo, place, setQuery } from "~/console/place";
import { nameOf, type Rows } from "~/console/rows";
import { serviceOf } from "~/console/services/index";
import { readOwnRows, type ServiceEnvironment } from "~/console/services/member";
import { readPeople } from "~/console/services/people";
import { FIRST_TEMPLATE, recordsOf } from "~/console/services/records";
import { toolSnippets } from "~/console/snippets";

const TEMPLATES_MAX = 1_000;
const TTL_SECONDS = 3_600;

/** Tokens of the environments that this page created: the server shows each once. */
const tokens = signal<ReadonlyMap<string, string>>(new Map());

export function Playground() {
  const id = place.value.query.get("environment");
  const list = useLoad(
    (signal) => get<TemplateList>("/templates", { limit: TEMPLATES_MAX }, signal),
    [],
  );
  return (
    <>
      <Head title="Playground">
        <AsJson address={addressOf(id ? `/env/${id}` : "/templates")} />
      </Head>
      <Ready of={list}>
        {({ templates }) =>
          templates.length === 0 ? (
            <Empty title="No templates.">
              <p>
                <code>diorama templates import FILE</code> creates one.
              </p>
            </Empty>
          ) : (
            <Create templates={templates} />
          )
        }
      </Ready>
      {id ? (
        <Chosen key={id} id={id} />
      ) : (
        list.data && (
          <Empty title="Try a service in an environment of your own.">
            <p>
              Choose a template and a user above. The environment lives for an hour; its page has
              code for your client and a form for single calls.
            </p>
          </Empty>
        )
      )}
    </>
  );
}

function Create({ templates }: { templates: readonly Template[] }) {
  const wanted = place.value.query.get("template") ?? FIRST_TEMPLATE;
  const template = templates.find(({ name }) => name === wanted) ?? templates[0];
  const name = template?.name ?? "";
  const [user, setUser] = useState("");
  const users = useLoad(async () => (template ? await readPeople(ask, template) : []), [name]);
  const { error, isBusy, perform } = useAction();
  const ids = (users.data ?? []).map(({ id }) => String(id));
  const chosen = ids.includes(user) ? user : (ids[0] ?? "");
  const create = async () => {
    const { environmentId, token } = await call<CreatedEnvironment>("POST", "/initEnv", {
      body: {
        templateService: template?.service,
        templateName: name,
        impersonateUserId: chosen,
        ttlSeconds: TTL_SECONDS,
      },
    });
    tokens.value = new Map([...tokens.value, [environmentId, token]]);
    setQuery({ environment: environmentId, template: name });
  };
  const submit = (event: Event) => {
    event.preventDefault();
    void perform(create);
  };
  return (
    <form onSubmit={submit} class="filters">
      <Choice
        label="Template"
        name="template"
        value={name}
        options={templates.map((each) => each.name)}
      />
      <label>
        The agent acts as
        <select value={chosen} onChange={({ currentTarget }) => setUser(currentTarget.value)}>
          {(users.data ?? []).map((row) => (
            <option key={String(row["id"])} value={String(row["id"])}>
              {nameOf(row)}
            </option>
          ))}
        </select>
      </label>
      <button type="submit" class="main" disabled={isBusy || chosen === ""}>
        Create an environment
      </button>
      <Failure error={error ?? users.error} />
    </form>
  );
}

function Chosen({ id }: { id: string }) {
  const loaded = useLoad((signal) => get<EnvironmentDetail>(`/env/${id}`, {}, signal), [id]);
  return (
    <Ready of={loaded}>
      {(environment) =>
        environment.status === "active" ? (
          <>
            <Facts of={environment} />
            <Members of={environment}>{(member) => <Tried environment={member} />}</Members>
          </>
        ) : (
          <Empty title="This environment has ended.">
            <p>Create another one above.</p>
          </Empty>
        )
      }
    </Ready>
  );
}

function Facts({ of: { environmentId, services, expiresAt } }: { of: EnvironmentDetail }) {
  return (
    <p class="facts">
      <span>{Object.keys(services).join(", ")}</span>
      <span>
        Environment{" "}
        <Id
          id={environmentId}
          href={pathTo("environments", environmentId)}
          name="environment's id"
        />
      </span>
      <span>
        ends <Time at={expiresAt} />
      </span>
    </p>
  );
}

function Tried({ environment }: { environment: ServiceEnvironment }) {
  const { service, templateSchema } = environment;
  const { subject: table, people } = recordsOf(service);
  // A template that is gone has no ids to put into the code.
  const rows = useLoad(
    () =>
      readOwnRows(ask, environment, [people.table, ...(table ? [table] : [])]).catch(
        (): Rows => ({}),
      ),
    [templateSchema],
  );
  return (
    <Ready of={rows}>
      {(tables) => {
        const [first] = tables[table ?? ""] ?? [];
        const subject = String(first?.["id"] ?? "ID");
        return (
          <>
            <Snippets environment={environment} subject={subject} />
            <TryCall environment={environment} subject={subject} rows={tables} />
          </>
        );
      }}
    </Ready>
  );
}

function Snippets({ environment, subject }: { environment: EnvironmentDetail; subject: string }) {
  const token = tokens.value.get(environment.environmentId);
  const target = { origin: location.origin, environment, subject, token: token ?? "TOKEN" };
  const snippets = { ...serviceOf(environment.service).snippets(target), ...toolSnippets(target) };
  const names = Object.keys(snippets);
  const shown = place.value.query.get("code") ?? "";
  const name = shown in snippets ? shown : (names[0] ?? "");
  return (
    <section aria-label="Code">
      <h2>Code</h2>
      {token === undefined && (
        <p class="quiet">
          Replace <code>TOKEN</code> with an API key or with the environment's token, which the
          answer of initEnv contains.
        </p>
      )}
      <Tabs label="Client" name="code" options={names} />
      <Code text={snippets[name] ?? ""} name="code" />
    </section>
  );
}
