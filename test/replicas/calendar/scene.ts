/** Environments of calendar_default, and calls as their people. */
import { useDatabase } from "../../support/database";
import { answerCheck } from "../../support/discovery";
import { expectStatus, useProgram } from "../../support/program";
import { restCall } from "../../support/rest";

export type Environment = {
  readonly environmentId: string;
  readonly environmentUrl: string;
  readonly token: string;
  readonly schemaName: string;
};

export const JOHN = "john@acme.test";
export const ROBIN = "robin@acme.test";
export const TEAM = "calendars/c_team@group.calendar.google.com";

/** A timed event of an hour on 7 January 2026, in London. */
export const timed = (from = "2026-01-07T14:00:00Z", to = "2026-01-07T15:00:00Z") => ({
  start: { dateTime: from },
  end: { dateTime: to },
});

export const DOCUMENT = "discovery/v1/apis/calendar/v3/rest";

/** Every answer must be as the discovery document says. */
let check: ReturnType<typeof answerCheck> | undefined;

export function useScene() {
  const database = useDatabase();
  const program = useProgram(database);

  const environment = async (fields: object = {}): Promise<Environment> =>
    await program.environment({
      templateService: "calendar",
      templateName: "calendar_default",
      impersonateUserId: "agent@acme.test",
      ...fields,
    });

  const callAs = async (
    headers: Record<string, string>,
    { environmentUrl }: Environment,
    verb: string,
    path: string,
    body?: object | string,
  ) => {
    const url = `${program.url}${environmentUrl}/calendar/v3/${path}`;
    const answer = await restCall(url, verb, headers, body);
    check ??= answerCheck(await (await fetch(`${program.url}/${DOCUMENT}`)).json());
    if (answer.ok) check(verb, `/calendar/v3/${path}`, answer.status, answer.body);
    return answer;
  };

  const call = (env: Environment, verb: string, path: string, body?: object | string) =>
    callAs({}, env, verb, path, body);

  let copies = 0;

  /** An environment with the same calendars, for another person. */
  async function copyFor({ environmentId }: Environment, person: string): Promise<Environment> {
    const name = `calendar_copy_${++copies}`;
    const saved = { environmentId, service: "calendar", name };
    expectStatus(await program.post("/templates/from-environment", saved), 201);
    return await environment({ templateName: name, impersonateUserId: person });
  }

  return {
    database,
    program,
    environment,
    call,
    callAs,
    copyFor,
    /** The body of a call that succeeds. */
    async get(env: Environment, path: string) {
      const answer = await call(env, "GET", path);
      expectStatus(answer, 200);
      return answer.body;
    },
    async send(env: Environment, verb: string, path: string, body?: object) {
      const answer = await call(env, verb, path, body);
      if (answer.status !== 204) expectStatus(answer, 200);
      return answer.body;
    },
    /** The rows that `work` changes: inserts, updates and deletes. */
    async changesOf({ environmentId: envId }: Environment, work: () => Promise<unknown>) {
      const started = await program.post("/startRun", { envId });
      expectStatus(started, 201);
      await work();
      const { body } = await program.post("/diffRun", { runId: started.body.runId });
      return body.diff;
    },
  };
}
