/** Agents that stay up and wait for events: each attempt begins with a message that mentions them. */
import type { AgentEnd } from "~/commands/agent";
import { type Answer, type Client, type Environment, pause, UsageError } from "~/commands/client";
import type { Test } from "~/commands/suite";
import { notice } from "~/log";

export type Serving = {
  /** The app that the agent is. */
  readonly app: string;
  /** The types of events that it receives. Undefined: those of the test's app, or mentions and messages. */
  readonly events: readonly string[] | undefined;
  /** Where the prompt is posted, and by whom. */
  readonly channel: string;
  readonly from: string;
  /** The attempt ends once nothing has happened for so long. */
  readonly quietSeconds: number;
};

/** Options of `suites run` for agents that stay up. */
export type ServeOptions = {
  readonly serve: boolean;
  readonly channel?: string;
  readonly from?: string;
  readonly app: string;
  readonly event?: readonly string[];
  readonly quiet: number;
};

export const APP_DEFAULT = "A01AGENTBOT";
export const QUIET_SECONDS_DEFAULT = 10;
export const QUIET_SECONDS_MAX = 60;
const EVENTS_DEFAULT = [
  ...["app_mention", "message.channels", "message.groups", "message.im", "message.mpim"],
];

/** Undefined for agents that get their prompt in their environment. Throws UsageError. */
export function servingOf(options: ServeOptions): Serving | undefined {
  const { serve, channel, from, app, event: events, quiet: quietSeconds } = options;
  if (!serve && (channel !== undefined || from !== undefined))
    throw new UsageError("--channel and --from are for --serve");
  if (!serve) return undefined;
  if (channel === undefined || from === undefined)
    throw new UsageError(
      "--serve needs --channel and --from: where the prompt is posted, and by whom",
    );
  return { app, events, channel, from, quietSeconds };
}

/** Between two looks whether the agent has connected. */
const LOOK_MS = 200;
/** Of one call that waits. */
const WAIT_MS = 60_000;

/** The field `events` of initEnv; undefined: the apps are those of the test. */
export const eventsFor = ({ app, events }: Serving, test: Pick<Test, "events">) =>
  test.events && !events ? undefined : { apps: [{ app, events: events ?? EVENTS_DEFAULT }] };

/** The app that the agent is, with its access: the wanted one, or else the first of the environment. */
function appOf(environment: Answer, wanted?: string) {
  const apps = (environment["apps"] ?? []) as readonly AppOf[];
  return apps.find(({ app }) => app === wanted) ?? apps[0];
}

/** The variables of an agent whose environment has an app. */
export function appVariables(environment: Answer, wanted?: string): Environment {
  const app = appOf(environment, wanted);
  if (!app) return {};
  return {
    DIORAMA_APP_ID: app.app,
    DIORAMA_APP_TOKEN: app.token,
    DIORAMA_SIGNING_SECRET: app.signingSecret ?? undefined,
  };
}

type Attempt = {
  /** The answer of `initEnv`. */
  readonly environment: Answer;
  readonly serving: Serving;
  readonly signal: AbortSignal;
  /** Starts the agent, which is stopped when the promise resolves. */
  readonly start: (env: Environment, done: Promise<unknown>) => Promise<AgentEnd>;
  /** Starts the run. */
  readonly begin: () => Promise<void>;
};

/**
 * Starts the agent, waits for its connection, starts the run, posts the prompt, waits until nothing happens any more, and
 * stops the agent. The post is no change of the agent's, so that no diff and no closed world has it.
 */
export async function serve(
  client: Client,
  { environment, serving, signal, start, begin }: Attempt,
): Promise<AgentEnd> {
  const done = Promise.withResolvers<void>();
  const ended = new AbortController();
  const app = appOf(environment, serving.app);
  const agent = start(appVariables(environment, serving.app), done.promise).finally(() =>
    ended.abort(),
  );
  const path = `/env/${environment["environmentId"]}`;
  const until = AbortSignal.any([signal, ended.signal]);
  try {
    const types = await connected(client, path, app?.app, until);
    if (types && !types.some(isOfMessages))
      notice(`app ${app?.app} receives no app_mention and no message: it does not see the prompt`);
    await begin();
    if (!until.aborted) {
      const text = `<@${app?.userId}> ${environment["prompt"]}`;
      const { channel, from: as, quietSeconds } = serving;
      await client.call("POST", `${path}/counterparts/act`, {
        ...{ as, service: app?.service, say: { channel, text } },
      });
      await idle(client, path, quietSeconds * 1000, until);
    }
  } finally {
    done.resolve();
    await agent;
  }
  return await agent;
}

type AppOf = {
  readonly app: string;
  readonly service: string;
  readonly token: string;
  readonly signingSecret: string | null;
  readonly userId: string;
};

const isOfMessages = (type: string) => type === "app_mention" || type.startsWith("message.");

type ConnectedApp = {
  readonly app: string;
  readonly connected: boolean;
  readonly events: readonly string[];
};

/** Waits for a connection of the app. Returns the types of events that it subscribes to. */
async function connected(
  client: Client,
  path: string,
  wanted: string | undefined,
  until: AbortSignal,
): Promise<readonly string[] | undefined> {
  while (!until.aborted) {
    const { apps } = await client.call("GET", `${path}/events`);
    const found = (apps as readonly ConnectedApp[]).find(({ app }) => app === wanted);
    if (found?.connected) return found.events;
    await pause(LOOK_MS, until);
  }
  return undefined;
}

async function idle(
  client: Client,
  path: string,
  quietMs: number,
  until: AbortSignal,
): Promise<void> {
  while (!until.aborted) {
    const wanted = { quietMs, timeoutMs: WAIT_MS };
    const waited = await client
      .call("POST", `${path}/wait`, wanted, { signal: until })
      .catch((error) => {
        if (until.aborted) return undefined;
        throw error;
      });
    if (waited?.["ended"] === "idle") return;
  }
}
