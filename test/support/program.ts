/** The program under test, in this process, and its client. */
import { afterAll, afterEach, beforeAll, beforeEach, expect } from "bun:test";
import { type Config, readConfig } from "~/config";
import { type Program, startProgram } from "~/program/program";
import { checkAnswer, commonDocument, type Document, wholePath } from "./contract";
import { isShared, LOG_PLANS, type TestDatabase } from "./database";

export type Answer = { status: number; body: any; headers: Headers };

export type TestProgram = {
  readonly program: Program;
  readonly url: string;
  /** One call to the platform: `post("/initEnv", {…})`. */
  call(
    method: string,
    path: string,
    body?: unknown,
    headers?: Record<string, string>,
  ): Promise<Answer>;
  post(path: string, body: unknown, headers?: Record<string, string>): Promise<Answer>;
  get(path: string, headers?: Record<string, string>): Promise<Answer>;
  /** A new environment of chat_default. */
  environment(fields?: object, headers?: Record<string, string>): Promise<any>;
  /** One call to an environment's chat. */
  chat(environment: { environmentUrl: string }, method: string, args?: object): Promise<any>;
};

const SETTINGS = {
  PORT: "0",
  LOG_LEVEL: "error",
  ENVIRONMENT_POOL_TARGETS: "chat_default:1",
  MAINTENANCE_CYCLE_INTERVAL: "1",
};

export const configFor = (database: TestDatabase, settings: Record<string, string> = {}): Config =>
  readConfig({
    DATABASE_URL: database.url,
    // `bun run plans` adds ten thousand environments.
    ...(LOG_PLANS && { MAX_ENVIRONMENTS: "100000" }),
    ...SETTINGS,
    ...settings,
  });

export async function startTestProgram(
  database: TestDatabase,
  settings: Record<string, string> = {},
): Promise<TestProgram> {
  const program = await startProgram(configFor(database, settings));
  const { stop } = program;
  let stopped: Promise<void> | undefined;
  program.stop = () => (stopped ??= stop());
  database.beforeDrop.push(program.stop);
  return clientOf(program.url, { program });
}

type Server = {
  /** If it runs in this process. */
  readonly program?: Program;
  /** Reads the document that its answers must match, once. */
  readonly read?: (url: string) => Promise<Document>;
};

/** A client of a server in any process. */
export function clientOf(
  url: string,
  { program, read = commonDocument }: Server = {},
): TestProgram {
  let document: Promise<Document> | undefined;
  const call: TestProgram["call"] = async (method, path, body, headers = {}) => {
    const response = await fetch(`${url}${wholePath(path)}`, {
      method,
      headers: {
        ...(body === undefined ? {} : { "Content-Type": "application/json" }),
        ...headers,
      },
      ...(body === undefined
        ? {}
        : { body: typeof body === "string" ? body : JSON.stringify(body) }),
    });
    const text = await response.text();
    const parsed = text === "" ? undefined : JSON.parse(text);
    document ??= read(url);
    checkAnswer(await document, method, path, response.status, parsed);
    return { status: response.status, body: parsed, headers: response.headers };
  };
  return {
    get program() {
      if (!program) throw new Error("this program runs in another process");
      return program;
    },
    url,
    call,
    post: (path, body, headers) => call("POST", path, body, headers),
    get: (path, headers) => call("GET", path, undefined, headers),
    async environment(fields = {}, headers = {}) {
      const wanted = {
        templateService: "chat",
        templateName: "chat_default",
        impersonateUserId: "U01AGENTONE",
        ...fields,
      };
      const answer = await call("POST", "/initEnv", wanted, headers);
      expectStatus(answer, 201);
      return answer.body;
    },
    async chat({ environmentUrl }, method, args = {}) {
      const response = await fetch(`${url}${environmentUrl}/${method}`, {
        method: "POST",
        headers: { "Content-Type": "application/json; charset=utf-8" },
        body: JSON.stringify(args),
      });
      return await response.json();
    },
  };
}

// Once per process, even if the runner creates several module instances.
const kept = globalThis as { dioramaProgram?: Promise<TestProgram> };

/** The server of a shared database: one for all files. */
const sharedProgram = (database: TestDatabase): Promise<TestProgram> =>
  (kept.dioramaProgram ??= startTestProgram(database, {
    ENVIRONMENT_POOL_TARGETS: "chat_default:4",
  }));

/** Shared databases, one for each file, whose server the file has declared. */
const withServer = new WeakSet<TestDatabase>();

/**
 * Declares a running program for the tests of this file. The program of a shared database has no `settings`, and a file
 * that wants two servers needs a database of its own: both would be the same one. An environment that a test makes by
 * `environment` ends with the test, so that the next one gets its schema.
 */
export function useProgram(database: TestDatabase, settings?: Record<string, string>): TestProgram {
  let running: TestProgram | undefined;
  let stop: (() => Promise<void>) | undefined;
  beforeAll(async () => {
    if (await isShared(database)) {
      if (settings) throw new Error("a shared server has no settings of one file");
      if (withServer.has(database)) throw new Error("a shared database has one server");
      withServer.add(database);
      running = await sharedProgram(database);
    } else {
      running = await startTestProgram(database, settings);
      stop = running.program.stop;
    }
  });
  afterAll(async () => {
    await stop?.();
  });
  let made: (() => Promise<unknown>)[] = [];
  beforeEach(() => {
    made = [];
  });
  afterEach(async () => {
    await Promise.all(made.map((end) => end().catch(() => undefined)));
  });
  const environment: TestProgram["environment"] = async (fields, headers) => {
    const program = running as TestProgram;
    const answer = await program.environment(fields, headers);
    made.push(() => program.call("DELETE", `/env/${answer.environmentId}`, undefined, headers));
    return answer;
  };
  return new Proxy({} as TestProgram, {
    get: (_, property: keyof TestProgram) =>
      property === "environment" ? environment : running?.[property],
  });
}

/** Fails with the whole body if the status differs. */
export function expectStatus(answer: Answer, status: number): void {
  expect({ status: answer.status, body: answer.body }).toEqual({ status, body: answer.body });
}

/** Compares status, code and envelope together, so that a failure shows the actual response. */
export function expectRefusal(
  answer: Answer,
  status: number,
  error: string,
  detail?: string,
): void {
  expect({ status: answer.status, ...answer.body }).toEqual({
    status,
    ok: false,
    error,
    detail: detail ?? expect.any(String),
  });
}
