/** A form that calls an environment as its agent would, and shows the answer and the row changes. */
import { useState } from "preact/hooks";
import type { EnvironmentDetail } from "~/clients/typescript/schema";
import { type Form, type Outcome, perform, readTools } from "~/console/calls";
import { useAction, useLoad } from "~/console/loading";
import type { Names } from "~/console/names";
import { Badge, Failure, Ready } from "~/console/parts/basics";
import { NetDiff } from "~/console/parts/changes";
import { duration } from "~/console/parts/clock";
import { Code } from "~/console/parts/dialog";
import { Tabs } from "~/console/parts/filters";
import { pathTo, place } from "~/console/place";
import { namesOf } from "~/console/rebuilt";
import type { Rows } from "~/console/rows";
import { serviceOf } from "~/console/services/index";
import { recordsOf } from "~/console/services/records";
import type { ConsoleService } from "~/console/services/service";

export function TryCall({
  environment,
  subject,
  rows,
}: {
  environment: EnvironmentDetail;
  /** An id for the examples. */
  subject: string;
  rows: Rows;
}) {
  const { environmentId, service } = environment;
  const forms: ConsoleService["forms"] = { ...serviceOf(service).forms, tools: readTools };
  const [first = ""] = Object.keys(forms);
  const kind = place.value.query.get("try") ?? first;
  const form = useLoad(
    () => (forms[kind] ?? readTools)(environment, subject),
    [environmentId, kind],
  );
  const names = namesOf({ base: rows, events: [] }, recordsOf(service));
  return (
    <section aria-label="Try a call">
      <h2>Try a call</h2>
      <Tabs label="Kind of call" name="try" options={Object.keys(forms)} />
      <Ready of={form}>
        {(loaded) => <CallForm key={kind} form={loaded} environment={environment} names={names} />}
      </Ready>
    </section>
  );
}

const textOf = (example: object | undefined) => JSON.stringify(example ?? {}, null, 2);
const ROWS = 8;

function CallForm({
  form: { operations, request, first },
  environment,
  names,
}: {
  form: Form;
  environment: EnvironmentDetail;
  names: Names;
}) {
  const find = (name: string) => operations.find((each) => each.name === name);
  const initial = find(first ?? "") ?? operations[0];
  const [name, setName] = useState(initial?.name ?? "");
  const [args, setArgs] = useState(textOf(initial?.example));
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
      {outcome && <Answer of={outcome} names={names} />}
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

function Answer({ of: { status, ms, answer, diff, runId }, names }: { of: Outcome; names: Names }) {
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
        <NetDiff diff={diff} names={names} />
      ) : (
        <p class="empty">The environment's run records them: its page shows them when it ends.</p>
      )}
    </>
  );
}
