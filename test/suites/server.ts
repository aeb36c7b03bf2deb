/**
 * The tests of a suite on a server in a process of its own: from source, or the binary in DIORAMA_BINARY. What acts has only
 * the agent's token, as any client of the service.
 */
import { afterAll, beforeAll } from "bun:test";
import type { NewSuite } from "~/platform/suites/model";
import { useDatabase } from "../support/database";
import { callTool, endpointOf } from "../support/mcp";
import { type ServerProcess, startProcess } from "../support/process";
import { expectStatus } from "../support/program";

/** Calls a tool of the vendor's MCP server, and returns its result. */
export type Tools = (name: string, args: object) => Promise<any>;

/** The agent's access. `appToken`: of the test's app, with which it opens connections for events. */
export type Given = {
  readonly token: string;
  readonly serviceUrl: string;
  readonly appToken?: string | undefined;
};

/** A test, as the server describes it. */
type Known = {
  readonly id: string;
  readonly surfaces: readonly string[] | undefined;
  /** Whether it counts deliveries. */
  readonly counting: boolean;
};

export type Verdict = {
  readonly status: string;
  readonly success: boolean;
  readonly attack: string | null;
  readonly score: { readonly percent: number };
  readonly reward: number;
  readonly failures: readonly string[];
};

export type SuiteServer = {
  readonly server: ServerProcess;
  readonly suiteId: string;
  readonly testCount: number;
  /** By name. */
  readonly tests: ReadonlyMap<string, Known>;
  /** A new environment of the test, and what an agent gets of it. */
  open(test: string, fields?: object): Promise<{ readonly envId: string; readonly given: Given }>;
  /** Waits until no event is on its way that the test counts. */
  settle(test: string, envId: string): Promise<void>;
  /** The verdict on the effects of `act` in an environment of the test. */
  run(test: string, act: (given: Given) => Promise<unknown>, fields?: object): Promise<Verdict>;
  /** The same through the environment's tools. */
  runTools(
    test: string,
    act: (tools: Tools) => Promise<unknown>,
    fields?: object,
  ): Promise<Verdict>;
};

/** Without a delivery, before a run is ended. */
const QUIET_MS = 100;
const SETTLE_MS = 1_000;

/** Declares a server for the tests of a suite. */
export function useSuite(file: unknown): SuiteServer {
  const { name: suite, templateName } = file as NewSuite;
  const database = useDatabase();
  const tests = new Map<string, Known>();
  let server: ServerProcess;
  let suiteId = "";
  let testCount = 0;

  beforeAll(async () => {
    server = await startProcess(database, { ENVIRONMENT_POOL_TARGETS: `${templateName}:4` });
    const { body } = await server.get(`/testSuites?name=${encodeURIComponent(suite)}`);
    ({ id: suiteId, testCount } = body.testSuites[0]);
    const expanded = await server.get(`/testSuites/${suiteId}?expand=true`);
    for (const { name, id, surfaces, expectedOutput } of expanded.body.tests) {
      const isDelivered = ({ diff_type }: any) => diff_type === "delivered";
      tests.set(name, { id, surfaces, counting: expectedOutput.assertions.some(isDelivered) });
    }
  });
  afterAll(async () => {
    server.kill("SIGTERM");
    await server.exited;
  });

  const open: SuiteServer["open"] = async (test, fields) => {
    const { body } = await server.post("/initEnv", { testId: tests.get(test)?.id, ...fields });
    const { environmentId: envId, token, environmentUrl, apps } = body;
    const serviceUrl = `${server.url}${environmentUrl}`;
    return { envId, given: { token, serviceUrl, appToken: apps?.[0].token } };
  };

  const settle: SuiteServer["settle"] = async (test, envId) => {
    if (!tests.get(test)?.counting) return;
    const wanted = { quietMs: QUIET_MS, timeoutMs: SETTLE_MS };
    expectStatus(await server.post(`/env/${envId}/wait`, wanted), 200);
  };

  const run: SuiteServer["run"] = async (test, act, fields) => {
    const { envId, given } = await open(test, fields);
    const testId = tests.get(test)?.id;
    const { body: started } = await server.post("/startRun", { envId, testId });
    await act(given);
    await settle(test, envId);
    const answer = await server.post("/evaluateRun", { runId: started.runId });
    expectStatus(answer, 200);
    await server.call("DELETE", `/env/${envId}`);
    return answer.body;
  };

  return {
    get server() {
      return server;
    },
    get suiteId() {
      return suiteId;
    },
    get testCount() {
      return testCount;
    },
    ...{ tests, open, settle, run },
    runTools: (test, act, fields) =>
      run(
        test,
        ({ token, serviceUrl }) => {
          const at = endpointOf(server, { token, environmentUrl: new URL(serviceUrl).pathname });
          return act(async (tool, args) => {
            const { text, isError } = await callTool(at, tool, args);
            if (isError) throw new Error(`${tool}: ${text}`);
            return JSON.parse(text);
          });
        },
        fields,
      ),
  };
}
