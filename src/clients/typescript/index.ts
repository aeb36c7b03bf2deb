/**
 * The client of Diorama: environments, runs and suites.
 *
 *   import { diorama } from "diorama";
 *
 *   await using env = await diorama.env("chat_default", { as: "U01AGENTONE" });
 *   const { diff } = await env.run(async () => {
 *     await env.slack().chat.postMessage({ channel: "C01GENERAL", text: "Hello" });
 *   });
 */
import { Environment } from "./environment";
import { createHttp, type Http, type Options } from "./http";
import { type LocalOptions, startServer } from "./local";
import { RecordedEnvironment } from "./recorded";
import type { CreatedEnvironment as Created, NewEnvironment, NewRun, Template } from "./schema";
import { Suite } from "./suite";

export { Environment, type Forked, type Outcome } from "./environment";
export { DioramaError, type Options } from "./http";
export type { LocalOptions } from "./local";
export { RecordedEnvironment } from "./recorded";
export { Run, type RunEnd } from "./run";
export type {
  Clock,
  ClockMove,
  Diff,
  DiffRow,
  DiffUpdate,
  Ending,
  EvaluatedRun,
  ExpectedOutput,
  Fault,
  FaultList,
  MovedClock,
  NewEnvironment,
  NewForks,
  NewRun,
  Score,
  Snapshot,
  Test,
  Unsafe,
} from "./schema";
export {
  type Agent,
  type Attempt,
  Suite,
  type SuiteOptions,
  type SuiteOutcome,
  type Task,
} from "./suite";

/** Options of a new environment. */
export type EnvOptions = Omit<
  NewEnvironment,
  "templateName" | "templateService" | "testId" | "impersonateUserId" | "impersonateEmail"
> & {
  /** Id or email of the user that the agent acts as. */
  readonly as?: string;
};

/** A Diorama server. */
export class Diorama {
  readonly url: string;
  readonly #http: Http;
  /** The service of each template that was asked for: it never changes. */
  readonly #services = new Map<string, Template["service"]>();

  constructor(options: Options = {}) {
    this.#http = createHttp(options);
    this.url = this.#http.url;
  }

  /** Creates an environment from a template. */
  async env(template: string, options: EnvOptions = {}): Promise<Environment> {
    return await this.create(await this.#bodyOf(template, options));
  }

  /** Creates an environment from a template and starts a run in it: for tests. */
  async record(
    template: string,
    options: EnvOptions = {},
    run: Omit<NewRun, "envId"> = {},
  ): Promise<RecordedEnvironment> {
    const body = await this.#bodyOf(template, options);
    return await RecordedEnvironment.begin(this.#http, await this.#initEnv(body), run);
  }

  async #bodyOf(template: string, { as, ...options }: EnvOptions): Promise<NewEnvironment> {
    const user = as?.includes("@") ? { impersonateEmail: as } : { impersonateUserId: as };
    return {
      ...options,
      templateService: await this.#serviceOf(template),
      templateName: template,
      ...(as !== undefined && (user as Partial<NewEnvironment>)),
    };
  }

  async #serviceOf(template: string): Promise<Template["service"]> {
    const known = this.#services.get(template);
    if (known) return known;
    const path = `/templates/${encodeURIComponent(template)}`;
    const { service } = await this.#http.call<Template>("GET", path);
    this.#services.set(template, service);
    return service;
  }

  /** Creates an environment as `initEnv` describes it: from a template or for a test. */
  async create(body: NewEnvironment): Promise<Environment> {
    return new Environment(this.#http, await this.#initEnv(body));
  }

  async #initEnv(body: NewEnvironment): Promise<Created> {
    return await this.#http.call<Created>("POST", "/initEnv", { body, hasKey: true });
  }

  /** A suite by its id; by its name or slug, if it is your own or built in; or as `owner/name`. */
  suite(reference: string): Suite {
    return new Suite(this.#http, (body) => this.create(body), reference);
  }

  toString(): string {
    return `Diorama ${this.url}`;
  }

  [Symbol.for("nodejs.util.inspect.custom")](): string {
    return `<${this}>`;
  }

  /** Any call of the platform API. `path` is below `/api/platform`. Throws DioramaError. */
  async call<Answer>(...args: Parameters<Http["call"]>): Promise<Answer> {
    return await this.#http.call<Answer>(...args);
  }

  /** Starts a server of one's own, which stops with `await using`. */
  static async local(options: LocalOptions & Pick<Options, "key"> = {}): Promise<LocalDiorama> {
    const server = await startServer(options);
    return new LocalDiorama({ url: server.url, key: options.key }, server.stop);
  }

  /** As the static method. */
  async local(options: LocalOptions = {}): Promise<LocalDiorama> {
    return await Diorama.local(options);
  }
}

/** A server that this process has started. */
export class LocalDiorama extends Diorama implements AsyncDisposable {
  /** Stops the server. */
  readonly stop: () => Promise<void>;

  constructor(options: Options, stop: () => Promise<void>) {
    super(options);
    this.stop = stop;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop();
  }
}

/** The server that `DIORAMA_URL` and `DIORAMA_API_KEY` name; on this machine by default. */
export const diorama: Diorama = new Diorama();
