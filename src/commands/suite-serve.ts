/** Agents that stay up and wait for events: each attempt begins with a message that mentions them. */
import type { AgentEnd } from "~/commands/agent";
import { type Answer, type Client, type Environment, pause, UsageError } from "~/commands/client";

export type Serving = {
  /** The app that the agent is. */
  readonly app: string;
  /** The types of events that it receives. */
  readonly events: readonly string[];
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
  const { serve, channel, from, app, event = EVENTS_DEFAULT, quiet: quietSeconds } = options;
  if (!serve && (channel !== undefined || from !== undefined))
    throw new UsageError("--channel and --from are for --serve");
  if (!serve) return undefined;
  if (channel === undefined || from === undefined)
    throw new UsageError(
      "--serve needs --channel and --from: where the prompt is posted, and by whom",
    );
  return { app, events: event, channel, from, quietSeconds };
}

/** Between two looks whether the agent has connected. */
const LOOK_MS = 200;
/** Of one call that waits. */
const WAIT_MS = 60_000;

export const eventsFor = ({ app, events }: Serving) => ({ apps: [{ app, events }] });

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
  const [app] = environment["apps"] as readonly AppOf[];
  const agent = start(
    {
      DIORAMA_APP_ID: serving.app,
      DIORAMA_APP_TOKEN: `${app?.token}`,
      DIORAMA_SIGNING_SECRET: `${app?.signingSecret}`,
    },
    done.promise,
  ).finally(() => ended.abort());
  const path = `/env/${environment["environmentId"]}`;
  const until = AbortSignal.any([signal, ended.signal]);
  try {
    await connected(client, path, until);
    await begin();
    if (!until.aborted) {
      const text = `<@${app?.userId}> ${environment["prompt"]}`;
      const { channel, from: as, quietSeconds } = serving;
      await client.call("POST", `${path}/counterparts/act`, { as, say: { channel, text } });
      await idle(client, path, quietSeconds * 1000, until);
    }
  } finally {
    done.resolve();
    await agent;
  }
  return await agent;
}

type AppOf = { readonly token: string; readonly signingSecret: string; readonly userId: string };

async function connected(client: Client, path: string, until: AbortSignal): Promise<void> {
  while (!until.aborted) {
    const { apps } = await client.call("GET", `${path}/events`);
    if ((apps as { readonly connected: boolean }[]).every((each) => each.connected)) return;
    await pause(LOOK_MS, until);
  }
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
