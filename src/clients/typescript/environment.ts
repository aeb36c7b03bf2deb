/** An environment, its official clients, and its runs. */
import { createRequire } from "node:module";
import type { calendar_v3 } from "@googleapis/calendar";
import type { gmail_v1 } from "@googleapis/gmail";
import type { LinearClient } from "@linear/sdk";
import type { WebClient, WebClientOptions } from "@slack/web-api";
import { DioramaError, type Http } from "./http";
import { type NewRun, Run } from "./run";
import type {
  Clock,
  ClockMove,
  CreatedEnvironment,
  EnvironmentDetail,
  Fault,
  FaultList,
  Forks,
  MovedClock,
  NewForks,
  Snapshot,
} from "./schema";

/** The outcome of a run. */
export type Outcome<Result> = {
  readonly runId: string;
  /** Returned by `work`. */
  readonly result: Result;
  /** Everything that changed. */
  readonly diff: Awaited<ReturnType<Run["diff"]>>;
  /** The calls that the environment received, in order. */
  readonly calls: Awaited<ReturnType<Run["calls"]>>;
};

/** An environment that equals another one, with the run that was started in it: `startRun`. */
export type Forked = { readonly environment: Environment; readonly run: Run | undefined };

/** The environment is deleted or expired. */
const GONE = new Set(["environment_not_found", "environment_already_deleted"]);

/** A disposable copy of a service, or of several in a world. `await using` deletes it at the end of the block. */
export class Environment implements AsyncDisposable {
  readonly id: string;
  readonly service: string;
  /** The template that it is a copy of. */
  readonly template: string;
  /** Base address of the service's API, without a trailing slash. Of a world: above those of its services. */
  readonly url: string;
  /** By service: base address of its API, and the user's id in it; null without an account. */
  readonly services: Readonly<
    Record<string, { readonly url: string; readonly userId: string | null }>
  >;
  readonly #mcpUrl: string;
  /** For the agent: opens this environment's API only. */
  readonly token: string;
  readonly expiresAt: Date;
  /** The time that it showed when it was created: tell it to your agent. */
  readonly now: Date;
  /** The prompt of its test, with the time in place of `{{now}}`. */
  readonly prompt: string | undefined;
  readonly #http: Http;

  constructor(http: Http, created: CreatedEnvironment) {
    this.#http = http;
    this.id = created.environmentId;
    this.service = created.service;
    this.template = created.templateSchema;
    this.url = `${http.url}${created.environmentUrl}`;
    this.services = Object.fromEntries(
      Object.entries(created.services).map(([service, { url, userId }]) => [
        service,
        { url: `${http.url}${url}`, userId },
      ]),
    );
    this.#mcpUrl = `${http.url}${created.mcpUrl}`;
    this.token = created.token;
    this.expiresAt = new Date(created.expiresAt);
    this.now = new Date(created.clock.now);
    this.prompt = created.prompt;
  }

  /** Address and headers of the environment's MCP server, which has the tools of all its services. */
  get mcp(): { readonly url: string; readonly headers: { readonly Authorization: string } } {
    return { url: this.#mcpUrl, headers: { Authorization: `Bearer ${this.token}` } };
  }

  /** The official chat client (`@slack/web-api`, if it is installed), without its retries. */
  slack(options: WebClientOptions = {}): WebClient {
    const url = this.#requireService("chat");
    const { WebClient } = requireClient("@slack/web-api");
    return new WebClient(this.token, {
      slackApiUrl: `${url}/`,
      retryConfig: { retries: 0 },
      ...options,
    });
  }

  /** The official tracker client (`@linear/sdk`, if it is installed). */
  linear(): LinearClient {
    const url = this.#requireService("tracker");
    const { LinearClient } = requireClient("@linear/sdk");
    return new LinearClient({ apiKey: this.token, apiUrl: `${url}/graphql` });
  }

  /** Google's client for mail (`@googleapis/gmail`, if it is installed), without its retries. */
  mail(): gmail_v1.Gmail {
    const url = this.#requireService("mail");
    const { gmail, auth } = requireClient("@googleapis/gmail");
    return gmail({ version: "v1", auth: this.#googleCredentials(auth, url), retry: false });
  }

  /** Google's client for calendars (`@googleapis/calendar`, if it is installed), without its retries. */
  calendar(): calendar_v3.Calendar {
    const url = this.#requireService("calendar");
    const { calendar, auth } = requireClient("@googleapis/calendar");
    return calendar({ version: "v3", auth: this.#googleCredentials(auth, url), retry: false });
  }

  /**
   * Credentials that lead each call to `url`. An option of the client would not do: it keeps only the host of an
   * address, and uploads go to the real service.
   */
  // biome-ignore lint/suspicious/noExplicitAny: the type of an optional package
  #googleCredentials({ OAuth2 }: any, url: string): unknown {
    const credentials = new OAuth2();
    credentials.setCredentials({ access_token: this.token });
    credentials.transporter.interceptors.request.add({
      async resolved(call: { url: string | URL }) {
        const { pathname, search } = new URL(call.url);
        return Object.assign(call, { url: new URL(url + pathname + search) });
      },
    });
    return credentials;
  }

  /** Starts a run: from here on, changes are captured. */
  async startRun(options: Omit<NewRun, "envId"> = {}): Promise<Run> {
    const body = { ...options, envId: this.id };
    const { runId } = await this.#http.call<{ runId: string }>("POST", "/startRun", {
      body,
      hasKey: true,
    });
    return new Run(this.#http, runId);
  }

  /** Brackets `work` with a run. If `work` throws, the run ends too, and the error is rethrown. */
  async run<Result>(
    work: (environment: this) => Promise<Result>,
    options: Omit<NewRun, "envId"> = {},
  ): Promise<Outcome<Result>> {
    const run = await this.startRun(options);
    let result: Result;
    try {
      result = await work(this);
    } catch (error) {
      await run.diff().catch(() => undefined);
      throw error;
    }
    const diff = await run.diff();
    return { runId: run.id, result, diff, calls: await run.calls() };
  }

  /** As its template again. An active run ends as failed. */
  async reset(): Promise<void> {
    await this.#control("POST", "/reset", {});
  }

  /** Stores the present state, to which `restore` and forks return. */
  async snapshot(name?: string): Promise<Snapshot> {
    return await this.#control<Snapshot>("POST", "/snapshots", {
      ...(name !== undefined && { name }),
    });
  }

  /** Returns to a snapshot of this environment or its family. An active run ends as failed. */
  async restore(snapshotId: string): Promise<void> {
    await this.#control("POST", "/reset", { snapshotId });
  }

  /** Creates environments that equal this one row for row, or one of its snapshots: all or none. */
  async fork(options: NewForks = {}): Promise<Forked[]> {
    const { environments } = await this.#control<Forks>("POST", "/fork", options);
    return environments.map((created) => ({
      environment: new Environment(this.#http, created),
      run: created.runId === undefined ? undefined : new Run(this.#http, created.runId),
    }));
  }

  /** Time as the next call sees it. */
  async clock(): Promise<Clock> {
    return await this.#control("GET", "/clock");
  }

  /** Forward: `{ advance: "P1D" }`, `{ to: "2026-03-12T09:00:00Z" }`. Does what is due until then. */
  async moveClock(move: ClockMove): Promise<MovedClock> {
    return await this.#control("POST", "/clock", move);
  }

  /** The faults, with the calls that got them. With a list: replaces them first, counted from zero. */
  async faults(faults?: readonly Fault[]): Promise<FaultList> {
    return faults
      ? await this.#control("PUT", "/faults", { faults })
      : await this.#control("GET", "/faults");
  }

  /** Lives for at least so long from now, seven days altogether at most. */
  async extend(ttlSeconds: number): Promise<EnvironmentDetail> {
    return await this.#control("PATCH", "", { ttlSeconds });
  }

  async #control<Answer>(
    method: Parameters<Http["call"]>[0],
    path: string,
    body?: object,
  ): Promise<Answer> {
    const options = { ...(body && { body }), ...(method === "POST" && { hasKey: true }) };
    return await this.#http.call<Answer>(method, `/env/${this.id}${path}`, options);
  }

  /** Without the token. */
  toString(): string {
    return `Environment ${this.template} ${this.id} ${this.url}`;
  }

  [Symbol.for("nodejs.util.inspect.custom")](): string {
    return `<${this}>`;
  }

  /** Deletes the environment now rather than when it expires. */
  async delete(): Promise<void> {
    await this.#http.call("DELETE", `/env/${this.id}`);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    try {
      await this.delete();
    } catch (error) {
      if (!(error instanceof DioramaError && GONE.has(error.code))) throw error;
    }
  }

  /** The base address of a service. Throws TypeError without it. */
  #requireService(service: string): string {
    const found = this.services[service];
    if (found) return found.url;
    const names = Object.keys(this.services).join(" and ");
    throw new TypeError(`This is an environment of the service ${names}, not ${service}`);
  }
}

// biome-ignore lint/suspicious/noExplicitAny: the type of an optional package
function requireClient(name: string): any {
  const near = [import.meta.url, `${process.cwd()}/package.json`];
  for (const place of near) {
    try {
      return createRequire(place)(name);
    } catch (error) {
      if ((error as { code?: string }).code !== "MODULE_NOT_FOUND") throw error;
    }
  }
  throw new Error(`${name} is not installed: npm install ${name}`);
}
