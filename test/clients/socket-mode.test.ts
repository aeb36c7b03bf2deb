/**
 * Clients of Socket Mode, unmodified and at fixed versions: each receives and acknowledges events, and stays connected
 * while nothing happens. `IDLE_SECONDS=3600` waits for an hour, `.ci/long` for two minutes.
 */
import { afterAll, describe, expect, test } from "bun:test";
import { join } from "node:path";
import { eventually, useDatabase } from "../support/database";
import { javaPackages, lacks, nodePackages, pythonPackages } from "../support/packages";
import { expectStatus, useProgram } from "../support/program";

const IDLE_SECONDS = Number(process.env["IDLE_SECONDS"] ?? 20);
const TIMEOUT = (IDLE_SECONDS + 500) * 1_000;
/** The third attempt comes a minute after the second: a client that starts on a busy machine may need it. */
const LAST_ATTEMPT_SECONDS = 150;
const SCENARIOS = join(import.meta.dir, "scenarios");
const APP = "A01AGENTONE";
const CHANNEL = "C01GENERAL";
const program = useProgram(useDatabase());

type Line = {
  readonly connected?: true;
  readonly problem?: string;
  readonly id?: string;
  readonly event?: { readonly type: string; readonly text: string | null };
};
type Command = { readonly command: readonly string[]; readonly env?: Record<string, string> };

const running: Bun.Subprocess[] = [];
afterAll(() => {
  for (const each of running) each.kill("SIGKILL");
});

/** An environment whose app is a client, and what that prints. */
async function start({ command, env = {} }: Command) {
  // Not `environment`: those end with the first of the tests that run at the same time.
  const made = await program.post("/initEnv", {
    ...{ templateService: "chat", templateName: "chat_default" },
    impersonateUserId: "U01AGENTONE",
    ttlSeconds: IDLE_SECONDS + 1_800,
  });
  expectStatus(made, 201);
  const environment = made.body;
  const { environmentId, environmentUrl, token } = environment;
  const apps = [{ app: APP, events: ["message.channels", "app_mention", "reaction_added"] }];
  expectStatus(await program.call("PUT", `/env/${environmentId}/events`, { apps }), 200);
  const child = Bun.spawn([...command], {
    env: {
      ...process.env,
      URL: `${program.url}${environmentUrl}`,
      TOKEN: token,
      APP_TOKEN: `xapp-1-${APP}-${token}`,
      ...env,
    },
    stdin: "pipe",
    stdout: "pipe",
    stderr: "pipe",
  });
  running.push(child);
  const lines: Line[] = [];
  const reading = (async () => {
    let rest = "";
    for await (const chunk of child.stdout.pipeThrough(new TextDecoderStream())) {
      const parts = (rest + chunk).split("\n");
      rest = parts.pop() ?? "";
      for (const part of parts) if (part.startsWith("{")) lines.push(JSON.parse(part));
    }
  })();
  const errors = new Response(child.stderr).text();
  const wait = (enough: () => boolean) =>
    eventually(async () => {
      if (child.exitCode !== null) throw new Error(`it has ended: ${await errors}`);
      if (!enough()) throw new Error(JSON.stringify(lines));
    }, 60);
  const chat = (method: string, args: object) => program.chat(environment, method, args);
  /** Each event once: it comes again to a client that acknowledges it late on a busy machine. */
  const events = () => {
    const found = lines.filter(({ event }) => event);
    const isFirst = ({ id }: Line, index: number) =>
      id === undefined || found.findIndex((each) => each.id === id) === index;
    return found.filter(isFirst).flatMap(({ event }) => event ?? []);
  };
  return {
    lines,
    events,
    wait,
    chat,
    connections: () => lines.filter(({ connected }) => connected).length,
    deliveries: async () => {
      const { body } = await program.get(`/env/${environmentId}/deliveries`);
      return body.events.flatMap(({ deliveries }: any) => deliveries);
    },
    async end() {
      child.stdin.end();
      await child.exited;
      await reading;
    },
  };
}

const node = (name: string, version: string) => async (): Promise<Command> => {
  const folder = await nodePackages(`${name}@${version}`);
  return { command: ["node", join(SCENARIOS, "socket-mode.mjs"), folder, name] };
};
const python = (kind: string) => async (): Promise<Command> => {
  const path = await pythonPackages(
    ...["slack_sdk==3.47.0", "aiohttp==3.14.5", "websockets==15.0.1", "websocket-client==1.9.0"],
  );
  const script = join(SCENARIOS, "socket_mode.py");
  return { command: ["python3", script, kind], env: { PYTHONPATH: path } };
};

const java = (backend: string) => async (): Promise<Command> => {
  const archives = await javaPackages(
    "com.slack.api:slack-api-client:1.51.0",
    "org.glassfish.tyrus.bundles:tyrus-standalone-client:1.20",
    "org.java-websocket:Java-WebSocket:1.5.7",
  );
  const script = join(SCENARIOS, "SocketModeScenario.java");
  return { command: ["java", "-cp", join(archives, "*"), script, backend] };
};

const CLIENTS: readonly (readonly [string, () => Promise<Command>])[] = [
  ["@slack/socket-mode 1.3.6", node("@slack/socket-mode", "1.3.6")],
  ["@slack/socket-mode 2.0.7", node("@slack/socket-mode", "2.0.7")],
  ["@slack/socket-mode 3.1.0", node("@slack/socket-mode", "3.1.0")],
  ["Bolt for JavaScript 5.1.0", node("@slack/bolt", "5.1.0")],
  ["slack_sdk, builtin", python("builtin")],
  ["slack_sdk, websocket_client", python("websocket_client")],
  ["slack_sdk, aiohttp", python("aiohttp")],
  ["slack_sdk, websockets", python("websockets")],
  ...(lacks("java") || lacks("mvn")
    ? []
    : ([
        ["the Java client, Tyrus", java("Tyrus")],
        ["the Java client, Java-WebSocket", java("JavaWebSocket")],
      ] as const)),
];

describe("an app receives its events, and stays connected, through", () => {
  test.concurrent.each(CLIENTS)(
    "%s",
    async (name, prepare) => {
      const client = await start(await prepare());
      const { lines, events, wait, chat, connections, deliveries } = client;
      await wait(() => connections() > 0);
      const { ts } = await chat("chat.postMessage", {
        channel: CHANNEL,
        text: "hello <@U01AGENTONE>",
      });
      await chat("reactions.add", { channel: CHANNEL, timestamp: ts, name: "eyes" });
      // Bolt keeps an app's own events from its listeners.
      const isSilent = name.startsWith("Bolt");
      const delivered = (count: number) =>
        eventually(async () => {
          const all = await deliveries();
          expect(all).toHaveLength(count);
          for (const { state, attempts } of all) {
            expect(state).toBe("delivered");
            const late = attempts.filter(({ ms }: { ms: number | null }) => ms === null);
            expect(late.length).toBeLessThan(3);
          }
        }, LAST_ATTEMPT_SECONDS);
      await delivered(3);
      if (!isSilent) {
        await wait(() => events().length === 3);
        // Some clients call an app's listeners from several threads, in any order.
        const types = events().map(({ type }) => type);
        expect(types.toSorted()).toEqual(["app_mention", "message", "reaction_added"]);
      }
      const before = connections(); // one of them connects twice when it starts
      await Bun.sleep(IDLE_SECONDS * 1_000);
      await chat("chat.postMessage", { channel: CHANNEL, text: "still there?" });
      await delivered(4);

      expect(connections()).toBe(before);
      expect(lines.flatMap(({ problem }) => problem ?? [])).toEqual([]);
      await client.end();
    },
    TIMEOUT,
  );
});
