/**
 * Players: clients that play one episode after the other at the tests of a suite. An episode is an environment, a run
 * and, in the end, a verdict. Whatever ends a player releases its environment.
 */
import { ApiError } from "~/errors";
import type { Principal } from "~/http/auth";
import { wholeBody } from "~/http/body";
import { IncomingRequest } from "~/http/incoming";
import { DEFAULT_PROFILE, findSurface, listingFor } from "~/http/mcp/profile";
import { HeaderList, isOk, textOf } from "~/message";
import { known, quoted } from "~/nearest";
import type { Environments } from "~/platform/environments/environments";
import type { Gateway } from "~/platform/gateway";
import type { Action, Reset, State } from "~/platform/openenv/model";
import { testsOf } from "~/platform/openenv/tasks";
import type { Runs } from "~/platform/runs/runs";
import { promptAt } from "~/platform/suites/prompt";
import type { SuiteRow, TestRow } from "~/platform/suites/store";
import type { Suites } from "~/platform/suites/suites";
import { requireReplica } from "~/platform/templates/templates";
import { createQuota } from "~/quota";

export type Players = ReturnType<typeof createPlayers>;
export type Player = ReturnType<Players["open"]>;

/** Who plays. `baseUrl`: scheme and host that the client used. */
export type By = {
  readonly keyId: string;
  readonly authenticate: () => Promise<Principal>;
  readonly baseUrl: string;
};

export type Answer = {
  readonly observation: object;
  readonly reward: number | null;
  readonly done: boolean;
  readonly metadata?: object;
};

type Episode = {
  readonly id: string;
  readonly runId: string;
  readonly testId: string;
  readonly environmentId: string;
  readonly token: string;
  readonly actor: string | null;
  stepCount: number;
  reward: number | null;
  isOver: boolean;
};

export const PLAYERS_MAX = 4_000;
export const PLAYERS_PER_KEY_MAX = 1_000;
/** The life of an environment: an episode is over after this time. */
export const EPISODE_SECONDS = 3_600;
/** How long a player remembers the list of tests. */
const REMEMBERED_MS = 30_000;
const LABELS = { harness: "openenv" };

const SUBMIT = {
  name: "submit",
  description: "Ends the task. Call it once everything is done: later calls have no effect.",
  input_schema: { type: "object", properties: {}, additionalProperties: false },
};

export type ListedTool = {
  readonly name: string;
  readonly description: string;
  readonly input_schema: object;
};

const RPC_INVALID_PARAMS = -32_602;
type RpcAnswer = {
  readonly result?: { readonly content: object[]; readonly isError?: boolean };
  readonly error?: { readonly code: number; readonly message: string };
};

export function createPlayers(deps: {
  suites: Suites;
  environments: Environments;
  runs: Runs;
  gateway: Gateway;
}) {
  const { suites, environments, runs, gateway } = deps;
  const quota = createQuota(
    { max: PLAYERS_MAX, perHolder: PLAYERS_PER_KEY_MAX },
    { limit: "OpenEnv session", plural: "OpenEnv sessions" },
  );
  const releases = new Set<Promise<unknown>>();
  /** The next test of players that ask for none. */
  let turn = 0;

  /** An environment that is not deleted here expires. */
  function remove(userId: string, environmentId: string): Promise<void> {
    const removal = environments.remove(userId, environmentId).then(
      () => undefined,
      () => undefined,
    );
    releases.add(removal);
    return removal.finally(() => releases.delete(removal));
  }

  function choose(tests: readonly TestRow[], { test, split = "mcp", index, seed }: Reset): TestRow {
    const among = testsOf(tests, split);
    const found =
      test === undefined
        ? among[index ?? (seed ?? turn++) % among.length]
        : tests.find(({ testId, name }) => testId === test || name === test);
    if (found) return found;
    throw new ApiError(
      "test_not_found",
      test === undefined
        ? `The split ${split} has ${among.length} tests`
        : `The suite has no test ${quoted(test)}${known(
            test,
            tests.map(({ name }) => name),
          )}`,
    );
  }

  function createPlayer({ authenticate, baseUrl }: By, suite: SuiteRow, leave: () => void) {
    let episode: Episode | undefined;
    /** Deletes the environment of the episode. */
    let release = async () => {};
    let isGone = false;
    let last: Promise<unknown> = Promise.resolve();
    let known = { tests: [] as readonly TestRow[], until: 0 };

    async function listTests(): Promise<readonly TestRow[]> {
      if (performance.now() > known.until)
        known = {
          tests: await suites.tests(suite.suiteId),
          until: performance.now() + REMEMBERED_MS,
        };
      return known.tests;
    }

    /** One at a time. */
    function inOrder<Result>(work: () => Promise<Result>): Promise<Result> {
      const result = last.then(work);
      last = result.catch(() => undefined);
      return result;
    }

    async function reset(options: Reset): Promise<Answer> {
      episode = undefined;
      await release();
      const principal = await authenticate();
      const { userId } = principal;
      const test = choose(await listTests(), options);
      const { testId } = test;
      const actor = test.actingUserId ?? suite.actingUserId;
      // Not by its id, which would be looked up again.
      const created = await environments.create(principal, {
        templateService: suite.service,
        templateName: test.templateName ?? suite.templateName,
        ...(actor !== null && { impersonateUserId: actor }),
        ...(test.faults && { faults: test.faults }),
        ttlSeconds: EPISODE_SECONDS,
      });
      const { environmentId, token, service } = created;
      release = async () => {
        release = async () => {};
        await remove(userId, environmentId);
      };
      if (isGone) await release();
      const { runId } = await runs.start(userId, {
        envId: environmentId,
        testId,
        testSuiteId: suite.suiteId,
        labels: LABELS,
      });
      const id = options.episode_id ?? runId;
      episode = {
        ...{ id, runId, testId, environmentId, token, actor },
        ...{ stepCount: 0, reward: null, isOver: false },
      };
      return answer(
        {
          ...{
            prompt: promptAt(test.prompt, created.clock.now),
            test_id: testId,
            test: test.name,
            user_id: actor,
            service,
          },
          service_url: baseUrl + created.environmentUrl,
          mcp_url: baseUrl + created.mcpUrl,
          token,
          now: created.clock.now,
          expires_at: created.expiresAt,
        },
        { episode_id: id, run_id: runId, environment_id: environmentId },
      );
    }

    /** The tools of its agent. */
    const tools = () => toolsOf(suite, episode?.actor);

    async function step(action: Action): Promise<Answer> {
      if (action.type === "list_tools") {
        if (episode && !episode.isOver) episode.stepCount++;
        return stepped({ tools: tools() });
      }
      if (!episode) throw new ApiError("invalid_request", "There is no episode: reset first");
      if (episode.isOver) throw new ApiError("invalid_request", "The episode is over: reset first");
      episode.stepCount++;
      const { type, tool_name: name, arguments: args = {} } = action;
      if (type === "submit" || name === SUBMIT.name) return await submit(episode);
      if (name === undefined) throw new ApiError("invalid_request", "tool_name: needed for a call");
      return stepped({ tool_name: name, ...(await callTool(episode, name, args)) });
    }

    async function callTool(
      { environmentId, token }: Episode,
      name: string,
      args: Readonly<Record<string, unknown>>,
    ) {
      const path = `/api/env/${environmentId}/services/${suite.service}/mcp`;
      const params = { name, arguments: args };
      const call = { jsonrpc: "2.0", id: 1, method: "tools/call", params };
      const headers = HeaderList.of({
        Authorization: `Bearer ${token}`,
        "Content-Type": "application/json",
        Accept: "application/json, text/event-stream",
        "MCP-Protocol-Version": "2025-06-18",
      });
      const request = new IncomingRequest("POST", path, headers);
      request.body = wholeBody(Buffer.from(JSON.stringify(call)));
      const target = { envId: environmentId, service: suite.service, path: "mcp" };
      const requestId = crypto.randomUUID();
      const made = await gateway.handle(request, target, { baseUrl, requestId });
      const text = textOf(made);
      if (!isOk(made)) return failed("transport_error", `${made.status} ${text}`);
      const { result, error } = JSON.parse(text) as RpcAnswer;
      if (error) return failed(errorType(error), error.message);
      const { content = [], isError = false } = result ?? {};
      return { result: { content, is_error: isError }, error: null };
    }

    async function submit(played: Episode): Promise<Answer> {
      const { userId } = await authenticate();
      const { runId } = played;
      const verdict = await runs.evaluate(userId, { runId, ending: "answered" });
      const { passed, success, score, reward, unsafe, failures, explanations } = verdict;
      Object.assign(played, { isOver: true, reward });
      void release();
      return {
        ...stepped({ passed, success, score }, { run_id: runId, unsafe, failures, explanations }),
        reward,
        done: true,
      };
    }

    return {
      /** Begins an episode; one that has not ended gets no verdict. */
      reset: (options: Reset) => inOrder(() => reset(options)),
      step: (action: Action) => inOrder(() => step(action)),
      tools,
      state(): State {
        if (!episode) return { episode_id: null, step_count: 0 };
        const { id, stepCount, testId, runId, isOver, reward } = episode;
        return {
          episode_id: id,
          step_count: stepCount,
          test_id: testId,
          run_id: runId,
          done: isOver,
          reward,
        };
      },
      /** Called when the client has disconnected. */
      end(): void {
        isGone = true;
        leave();
        void release();
      },
    };
  }

  return {
    /** Throws LimitExceeded, or 503, if there are too many. */
    open: (by: By, suite: SuiteRow) => createPlayer(by, suite, quota.take(by.keyId)),

    /** Waits for the environments of players that have left. */
    async stop(): Promise<void> {
      await Promise.all(releases);
    },
  };
}

function answer(observation: object, metadata: object = {}): Answer {
  return { observation: { ...observation, metadata }, reward: null, done: false, metadata };
}

/** The answer to a step: a trainer adds up the rewards of all steps, and only the last one has any. */
const stepped = (observation: object, metadata: object = {}): Answer => ({
  ...answer(observation, metadata),
  reward: 0,
});

const failed = (type: string, message: string) => ({
  result: null,
  error: { error_type: type, message },
});

function errorType({ code, message }: NonNullable<RpcAnswer["error"]>): string {
  if (code !== RPC_INVALID_PARAMS) return "execution_error";
  return message.startsWith("Unknown tool") ? "tool_not_found" : "invalid_args";
}

/** The tools of a suite's service in OpenEnv's words, and the one that ends the episode. `actor`: of a test. */
export function toolsOf({ service, actingUserId }: SuiteRow, actor?: string | null): ListedTool[] {
  const profile = requireReplica(service).toolProfiles?.[DEFAULT_PROFILE];
  const listing = profile && listingFor(findSurface(profile, "all"), actor ?? actingUserId ?? "");
  const tools: { name: string; description?: string; inputSchema: object }[] = listing
    ? JSON.parse(new TextDecoder().decode(listing))
    : [];
  return [
    ...tools.map(({ name, description = "", inputSchema }) => ({
      name,
      description,
      input_schema: inputSchema,
    })),
    SUBMIT,
  ];
}
