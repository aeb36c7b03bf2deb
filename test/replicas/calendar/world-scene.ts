/** A world of calendars and mail, and calls as its people. */
import { beforeAll, expect } from "bun:test";
import { useDatabase } from "../../support/database";
import { expectStatus, useProgram } from "../../support/program";
import { restCall } from "../../support/rest";

export const AGENT = "agent@acme.test";

export function useWorld(templateName: string) {
  const database = useDatabase();
  const program = useProgram(database);

  beforeAll(async () => {
    const seed = { members: { calendar: "calendar_default", mail: "mail_default" } };
    const wanted = { service: "world", name: templateName, seed };
    expectStatus(await program.post("/templates/import", wanted), 201);
  });

  return {
    database,
    program,
    environment: (fields: object = {}): Promise<{ environmentId: string; schemaName: string }> =>
      program.environment({
        ...{ templateService: "world", templateName, impersonateUserId: undefined },
        ...{ impersonateEmail: AGENT, ...fields },
      }),
    /** A call below `services`. The address of a person is a token. */
    async call(
      { environmentId }: { readonly environmentId: string },
      verb: string,
      path: string,
      body?: object,
      person = AGENT,
    ) {
      const url = `${program.url}/api/env/${environmentId}/services/${path}`;
      const answer = await restCall(url, verb, { Authorization: `Bearer ${person}` }, body);
      expect([path, answer.status]).toEqual([path, body || verb === "GET" ? 200 : 204]);
      return answer.body;
    },
  };
}
