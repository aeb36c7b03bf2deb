/**
 * The story of the product: an environment, a run, an agent with the official client, the diff. `scripts/start --demo`
 * prints it; `bun run smoke` and the tests check it.
 */
import { WebClient } from "@slack/web-api";

export type PlayedStory = {
  /** The platform's responses, step by step. */
  readonly steps: readonly { readonly title: string; readonly answer: unknown }[];
  readonly diff: Diff;
};
export type Diff = Record<"inserts" | "updates" | "deletes", Record<string, unknown>[]>;

type Platform = (method: string, path: string, body?: object) => Promise<Record<string, unknown>>;

const platformOf =
  (url: string, key?: string): Platform =>
  async (method, path, body) => {
    const response = await fetch(`${url}/api/platform${path}`, {
      method,
      headers: { "Content-Type": "application/json", ...(key ? { "X-API-Key": key } : {}) },
      ...(body ? { body: JSON.stringify(body) } : {}),
    });
    const answer = (await response.json()) as Record<string, unknown>;
    if (!response.ok)
      throw new Error(`${method} ${path}: ${response.status} ${JSON.stringify(answer)}`);
    return answer;
  };

/** The official client for an environment. It has only the agent's token. */
export const clientFor = (url: string, environment: Record<string, unknown>) =>
  new WebClient(String(environment["token"]), {
    slackApiUrl: `${url}${environment["environmentUrl"]}/`,
    retryConfig: { retries: 0 },
  });

/** Runs the story on a server and returns the responses. Throws when a step fails. */
export async function playStory(url: string, key?: string): Promise<PlayedStory> {
  const platform = platformOf(url, key);
  const steps: { title: string; answer: unknown }[] = [];
  const step = async <T>(title: string, work: Promise<T>): Promise<T> => {
    const answer = await work;
    steps.push({ title, answer });
    return answer;
  };

  const environment = await step(
    "initEnv: a copy of the template chat_default",
    platform("POST", "/initEnv", {
      templateService: "chat",
      templateName: "chat_default",
      impersonateUserId: "U01AGENTONE",
    }),
  );
  const run = await step(
    "startRun",
    platform("POST", "/startRun", { envId: environment["environmentId"] }),
  );

  const chat = clientFor(url, environment);
  const channel = "C01GENERAL";
  const posted = await step(
    "chat.postMessage",
    chat.chat.postMessage({ channel, text: "Lunch at noon?" }),
  );
  const ts = String(posted.ts);
  await step(
    "chat.postMessage, a reply",
    chat.chat.postMessage({ channel, text: "Make it one.", thread_ts: ts }),
  );
  await step("chat.update", chat.chat.update({ channel, ts, text: "Lunch at one?" }));
  await step("reactions.add", chat.reactions.add({ channel, timestamp: ts, name: "thumbsup" }));
  await step(
    "reactions.add, then removed",
    chat.reactions
      .add({ channel, timestamp: ts, name: "tada" })
      .then(() => chat.reactions.remove({ channel, timestamp: ts, name: "tada" })),
  );
  await step(
    "chat.update, of an existing message",
    chat.chat.update({
      channel: "C02RANDOM",
      ts: "1767607800.990316",
      text: "Lunch is on Friday. Who is in?",
    }),
  );
  await step(
    "reactions.remove, of an existing reaction",
    chat.reactions.remove({ channel, timestamp: "1767604200.989456", name: "eyes" }),
  );
  await step("conversations.create", chat.conversations.create({ name: "lunch" }));

  const result = await step(
    "diffRun: exactly what changed",
    platform("POST", "/diffRun", { runId: run["runId"] }),
  );
  await step("delete", platform("DELETE", `/env/${environment["environmentId"]}`));
  return { steps, diff: result["diff"] as Diff };
}

/** Fields with values that differ each time. */
const VOLATILE: Record<string, RegExp> = {
  time: /^\d{10}\.\d{6}$/,
  channel: /^C[A-Z0-9]{10}$/,
};

/** The diff with generated values replaced by numbers in order of appearance, so that two runs can be compared. */
export function comparable(diff: Diff): string {
  const names = new Map<string, string>();
  return JSON.stringify(diff, (key, value) => {
    if (/^(created|created_at|joined_at|updated)$/.test(key)) return `<${key}>`;
    // In whole seconds, so that it may equal the time of a message, or not.
    if (key === "edited" && value) return { ...value, ts: "<edited>" };
    const kind = Object.entries(VOLATILE).find(
      ([, pattern]) => typeof value === "string" && pattern.test(value),
    );
    if (!kind) return value;
    if (!names.has(value)) names.set(value, `<${kind[0]} ${names.size + 1}>`);
    return names.get(value);
  });
}
