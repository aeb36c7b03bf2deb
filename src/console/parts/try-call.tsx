/** A form that calls an environment as its agent would, and shows the answer and the row changes. */
import { useState } from "preact/hooks";
import type {
  CompletedRun,
  Diff,
  EnvironmentDetail,
  StartedRun,
} from "~/clients/typescript/schema";
import { call, get, jsonOf, send } from "~/console/api";
import { useAction, useLoad } from "~/console/loading";
import { Badge, Failure, Ready } from "~/console/parts/basics";
import { NetDiff } from "~/console/parts/changes";
import { duration } from "~/console/parts/clock";
import { Code, pretty } from "~/console/parts/dialog";
import { Tabs } from "~/console/parts/filters";
import { pathTo, place } from "~/console/place";
import type { Rows } from "~/console/rows";
import { namesOf } from "~/console/world";

/** A request in the form: what is called, and with which JSON. */
type Request = { readonly address: string; readonly body: object };
type Operation = { readonly name: string; readonly example: object; readonly about?: string };

/** One way to call the service. */
type Form = {
  readonly operations: readonly Operation[];
  readonly request: (name: string, args: object) => Request;
};

const KINDS = { chat: ["methods", "tools"], tracker: ["operations", "tools"] } as const;

export function TryCall({
  environment,
  place: at,
  rows,
}: {
  environment: EnvironmentDetail;
  place: string;
  rows: Rows;
}) {
  const kinds = KINDS[environment.service];
  const kind = place.value.query.get("try") ?? kinds[0];
  const { environmentId } = environment;
  const form = useLoad(
    () => (kind === "tools" ? readTools(environment) : readOperations(environment, at)),
    [environmentId, kind],
  );
  return (
    <section aria-label="Try a call">
      <h2>Try a call</h2>
      <Tabs label="Kind of call" name="try" options={kinds} />
      <Ready of={form}>
        {(loaded) => <CallForm key={kind} form={loaded} environment={environment} rows={rows} />}
      </Ready>
    </section>
  );
}

const PROTOCOL = {
  Accept: "application/json, text/event-stream",
  "MCP-Protocol-Version": "2025-06-18",
};
const message = (method: string, params: object) => ({ jsonrpc: "2.0", id: 1, method, params });

type Schema = {
  readonly type?: string;
  readonly required?: readonly string[];
  readonly properties?: Readonly<Record<string, Schema>>;
};
type Listing = {
  result?: { tools: { name: string; description: string; inputSchema: Schema }[] };
  error?: { message: string };
};

const BLANKS: Readonly<Record<string, unknown>> = {
  number: 0,
  integer: 0,
  boolean: false,
  array: [],
  object: {},
};

/** The required arguments of a tool, to be filled in. */
const blankOf = ({ required = [], properties = {} }: Schema) =>
  Object.fromEntries(required.map((name) => [name, BLANKS[properties[name]?.type ?? ""] ?? ""]));

async function readTools({ mcpUrl }: EnvironmentDetail): Promise<Form> {
  const body = message("tools/list", {});
  const answer = await jsonOf<Listing>(await send("POST", mcpUrl, { body, headers: PROTOCOL }));
  if (!answer?.result) throw new Error(answer?.error?.message ?? "The tools cannot be listed.");
  return {
    operations: answer.result.tools.map(({ name, description, inputSchema }) => ({
      name,
      example: blankOf(inputSchema),
      about: description,
    })),
    request: (name, args) => ({
      address: mcpUrl,
      body: message("tools/call", { name, arguments: args }),
    }),
  };
}

type Document = {
  readonly paths: Readonly<
    Record<
      string,
      {
        readonly post?: {
          readonly summary?: string;
          readonly requestBody?: {
            readonly content: Readonly<Record<string, { readonly example?: object }>>;
          };
        };
      }
    >
  >;
};

/** Methods of the Web API, from the OpenAPI document; operations of GraphQL from the list below. */
async function readOperations(
  { service, environmentUrl }: EnvironmentDetail,
  at: string,
): Promise<Form> {
  if (service === "tracker")
    return {
      operations: operationsAt(at),
      request: (_name, body) => ({ address: `${environmentUrl}/graphql`, body }),
    };
  const document = await jsonOf<Document>(await send("GET", "/docs/json"));
  const prefix = `/api/env/{envId}/services/${service}/`;
  return {
    operations: Object.entries(document?.paths ?? {}).flatMap(([path, { post }]) => {
      const name = path.slice(prefix.length);
      if (!path.startsWith(prefix) || !post || name.includes("/")) return [];
      const { example = {} } = post.requestBody?.content["application/json"] ?? {};
      return [{ name, example, ...(post.summary && { about: post.summary }) }];
    }),
    request: (name, body) => ({ address: `${environmentUrl}/${name}`, body }),
  };
}

const operationsAt = (teamId: string): readonly Operation[] => [
  {
    name: "issueCreate",
    example: {
      query:
        "mutation($input: IssueCreateInput!) { issueCreate(input: $input) { success issue { id identifier } } }",
      variables: { input: { teamId, title: "Hello" } },
    },
  },
  {
    name: "issues",
    example: { query: "{ issues(first: 10) { nodes { id identifier title state { name } } } }" },
  },
  { name: "teams", example: { query: "{ teams { nodes { id key name } } }" } },
];

type Outcome = {
  readonly status: number;
  readonly ms: number;
  readonly answer: string;
  /** Undefined if the environment's own run records the call. */
  readonly diff: Diff | undefined;
  readonly runId: string;
};

/** Makes a call in a run of its own, or within the run that is active. */
async function perform(
  { environmentId }: EnvironmentDetail,
  { address, body }: Request,
): Promise<Outcome> {
  const { run } = await get<EnvironmentDetail>(`/env/${environmentId}`);
  const active = run?.status === "running" ? run.runId : undefined;
  const runId =
    active ??
    (
      await call<StartedRun>("POST", "/startRun", {
        body: { envId: environmentId, labels: { from: "playground" } },
      })
    ).runId;
  const began = performance.now();
  try {
    const response = await send("POST", address, { body, headers: PROTOCOL });
    const text = await response.text();
    const ms = performance.now() - began;
    const diff = active ? undefined : await end(runId);
    return { status: response.status, ms, answer: pretty(text), diff, runId };
  } catch (error) {
    if (!active) await end(runId).catch(() => undefined);
    throw error;
  }
}

const end = async (runId: string) =>
  (await call<CompletedRun>("POST", "/diffRun", { body: { runId } })).diff;

const textOf = (example: object | undefined) => JSON.stringify(example ?? {}, null, 2);
const ROWS = 8;

function CallForm({
  form: { operations, request },
  environment,
  rows,
}: {
  form: Form;
  environment: EnvironmentDetail;
  rows: Rows;
}) {
  const find = (name: string) => operations.find((each) => each.name === name);
  const first = find("chat.postMessage") ?? find("conversations_add_message") ?? operations[0];
  const [name, setName] = useState(first?.name ?? "");
  const [args, setArgs] = useState(textOf(first?.example));
  const [outcome, setOutcome] = useState<Outcome>();
  const { error, isBusy, perform: start } = useAction();
  const choose = (chosen: string) => {
    setName(chosen);
    setArgs(textOf(find(chosen)?.example));
  };
  const submit = (event: Event) => {
    event.preventDefault();
    void start(async () => setOutcome(await perform(environment, request(name, parsed(args)))));
  };
  return (
    <>
      <form onSubmit={submit} class="try">
        <label>
          Name
          <select value={name} onChange={({ currentTarget }) => choose(currentTarget.value)}>
            {operations.map((each) => (
              <option key={each.name}>{each.name}</option>
            ))}
          </select>
        </label>
        <p class="quiet">{find(name)?.about?.slice(0, 300)}</p>
        <label>
          Arguments, as JSON
          <textarea
            rows={ROWS}
            spellcheck={false}
            value={args}
            onInput={({ currentTarget }) => setArgs(currentTarget.value)}
          />
        </label>
        <p>
          <button type="submit" class="main" disabled={isBusy}>
            Call
          </button>
        </p>
      </form>
      <Failure error={error} />
      {outcome && <Answer of={outcome} rows={rows} />}
    </>
  );
}

function parsed(text: string): object {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === "object" && value !== null && !Array.isArray(value)) return value;
  } catch (error) {
    throw new Error(`The arguments are no JSON: ${error instanceof Error ? error.message : error}`);
  }
  throw new Error("The arguments must be a JSON object.");
}

function Answer({ of: { status, ms, answer, diff, runId }, rows }: { of: Outcome; rows: Rows }) {
  return (
    <>
      <h3>Answer</h3>
      <p class="facts" role="status">
        <Badge kind={status < 400 ? "good" : "bad"}>HTTP {status}</Badge>
        <span>{duration(ms)}</span>
        <a href={pathTo("runs", runId)}>run</a>
      </p>
      <Code text={answer} name="answer" />
      <h3>Row changes</h3>
      {diff ? (
        <NetDiff diff={diff} names={namesOf({ base: rows, events: [] })} />
      ) : (
        <p class="empty">The environment's run records them: its page shows them when it ends.</p>
      )}
    </>
  );
}
