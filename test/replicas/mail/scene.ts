/** Environments of mail_default, and calls as one of its people. */
import { useDatabase } from "../../support/database";
import { answerCheck } from "../../support/discovery";
import { expectStatus, useProgram } from "../../support/program";
import { restCall } from "../../support/rest";

export type Environment = {
  readonly environmentId: string;
  readonly environmentUrl: string;
  readonly schemaName: string;
  readonly token: string;
};

type Sent = {
  readonly from?: string;
  readonly to?: string;
  readonly cc?: string;
  readonly bcc?: string;
  readonly subject?: string;
  readonly body?: string;
  readonly headers?: Readonly<Record<string, string>>;
};

/** A message in its wire format, in base64url. */
export function rawOf({ body = "Hello\r\n", headers = {}, ...fields }: Sent): string {
  const named = Object.entries({ ...fields, ...headers });
  const head = named.map(([name, value]) => `${name}: ${value}\r\n`).join("");
  return Buffer.from(`${head}\r\n${body}`).toString("base64url");
}

/** Every answer must be as the discovery document says. */
let check: ReturnType<typeof answerCheck> | undefined;

export function useScene() {
  const database = useDatabase();
  const program = useProgram(database);

  const environment = async (fields: object = {}): Promise<Environment> =>
    await program.environment({
      templateService: "mail",
      templateName: "mail_default",
      impersonateUserId: "agent@acme.test",
      ...fields,
    });

  async function callAs(
    headers: Record<string, string>,
    { environmentUrl }: Environment,
    verb: string,
    path: string,
    body?: object | string,
  ) {
    const url = `${program.url}${environmentUrl}/gmail/v1/users/me/${path}`;
    const answer = await restCall(url, verb, headers, body);
    check ??= answerCheck(await (await fetch(`${program.url}/$discovery/rest`)).json());
    if (answer.ok) check(verb, `/gmail/v1/users/me/${path}`, answer.status, answer.body);
    return answer;
  }

  const call = (env: Environment, verb: string, path: string, body?: object | string) =>
    callAs({}, env, verb, path, body);

  return {
    program,
    database,
    environment,
    call,
    callAs,
    /** The body of a call that succeeds. */
    async get(env: Environment, path: string) {
      const answer = await call(env, "GET", path);
      expectStatus(answer, 200);
      return answer.body;
    },
    async post(env: Environment, path: string, body: object = {}) {
      const answer = await call(env, "POST", path, body);
      if (answer.status !== 204) expectStatus(answer, 200);
      return answer.body;
    },
    /** Sends a message and returns the answer's body. */
    async send(env: Environment, message: Sent, threadId?: string) {
      const answer = await call(env, "POST", "messages/send", {
        raw: rawOf(message),
        ...(threadId !== undefined && { threadId }),
      });
      expectStatus(answer, 200);
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
