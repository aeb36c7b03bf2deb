/** An environment of the tracker, and the official client for it. */
import { beforeAll, expect } from "bun:test";
import { LinearClient, LinearError } from "@linear/sdk";
import type { TestDatabase } from "./database";
import { expectOwnHosts } from "./hosts";
import { type TestProgram, useProgram } from "./program";

/** Users and teams of the built-in templates. */
export const AGENT = "b0000000-0000-4000-8000-000000000001";
export const JOHN = "b0000000-0000-4000-8000-000000000002";
export const ROBIN = "b0000000-0000-4000-8000-000000000003";
/** The user of tracker_expanded in the role of John in the other templates. */
export const MARIA = "b0000000-0000-4000-8000-000000000011";
export const ENG = "c0000000-0000-4000-8000-000000000001";
export const DES = "c0000000-0000-4000-8000-000000000002";

export type Tracker = {
  readonly program: TestProgram;
  readonly environmentId: string;
  readonly schema: string;
  /** The credential of the environment. */
  readonly key: string;
  /** Of the environment's GraphQL entry. */
  readonly url: string;
  /** The official client, acting as the environment's user, who is an admin. */
  readonly linear: LinearClient;
  /** The official client, acting as another user. */
  as(userId: string): LinearClient;
  /** One raw request; returns the body of the answer. */
  ask(query: string, variables?: object, userId?: string): Promise<any>;
  /** The data of a request; fails on errors, and shows them. */
  data(query: string, variables?: object, userId?: string): Promise<any>;
};

export async function openTracker(
  program: TestProgram,
  template = "tracker_default",
): Promise<Tracker> {
  const self = template === "tracker_expanded" ? MARIA : JOHN;
  const environment = await program.environment({
    templateService: "tracker",
    templateName: template,
    impersonateUserId: self,
    allowImpersonation: true,
    clock: "real", // the tests name moments of their own time
  });
  const url = `${program.url}${environment.environmentUrl}/graphql`.replace("0.0.0.0", "127.0.0.1");
  const key = environment.token as string;
  const as = (userId: string) =>
    new LinearClient({ apiKey: userId, apiUrl: url, headers: { "X-API-Key": key } });
  const ask: Tracker["ask"] = async (query, variables = {}, userId = self) => {
    const body = JSON.stringify({ query, variables });
    const response = await fetch(url, {
      method: "POST",
      headers: { "Content-Type": "application/json", "X-API-Key": key, Authorization: userId },
      body,
    });
    const text = await response.text();
    expectOwnHosts(text, body);
    return JSON.parse(text);
  };
  return {
    program,
    environmentId: environment.environmentId,
    schema: environment.schemaName,
    key,
    url,
    linear: as(self),
    as,
    ask,
    data: async (query, variables, userId) => {
      const body = await ask(query, variables, userId);
      expect({ errors: body.errors }).toEqual({ errors: undefined });
      return body.data;
    },
  };
}

/** Declares a program and one environment for the tests of this file. */
export function useTracker(database: TestDatabase, template = "tracker_default"): Tracker {
  let tracker: Tracker | undefined;
  const program = useProgram(database);
  beforeAll(async () => {
    tracker = await openTracker(program, template);
  });
  return new Proxy({} as Tracker, {
    get: (_, property: keyof Tracker) => tracker?.[property],
  });
}

/** The error that the official client throws for a rejection. */
export async function refusal(work: Promise<unknown>): Promise<LinearError> {
  try {
    await work;
  } catch (error) {
    if (error instanceof LinearError) return error;
    throw error;
  }
  throw new Error("this was not rejected");
}
