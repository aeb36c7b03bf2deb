/** A player: a client that plays one episode after the other at the tests of a suite. */
import { ApiError } from "~/errors";
import type { Environments } from "~/platform/environments/environments";
import type { Gateway } from "~/platform/gateway";
import type { Action, Reset, State } from "~/platform/openenv/model";
import { callTool, SUBMIT, toolsOf } from "~/platform/openenv/tools";
import type { Runs } from "~/platform/runs/runs";
import { promptAt } from "~/platform/suites/prompt";
import type { SuiteRow, TestRow } from "~/platform/suites/store";
import type { Suites } from "~/platform/suites/suites";
import type { Principal } from "~/principal";
import type { Members } from "~/replicas/members";

export type Player = ReturnType<typeof createPlayer>;

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
  /** The agent's user in each service. */
  readonly actors: Members;
  stepCount: number;
  reward: number | null;
  isOver: boolean;
};

/** The life of an environment: an episode is over after this time. */
export const EPISODE_SECONDS = 3_600;
/** How long a player remembers the list of tests. */
const REMEMBERED_MS = 30_000;
const LABELS = { harness: "openenv" };

type PlayerParts = {
  suites: Suites;
  environments: Environments;
  runs: Runs;
  gateway: Gateway;
  /** The test that an episode begins with. Throws `test_not_found`. */
  choose: (tests: readonly TestRow[], options: Reset) => TestRow;
  /** Deletes the environment of an episode. */
  remove: (userId: string, environmentId: string) => Promise<void>;
};

export function createPlayer(
  deps: PlayerParts,
  { authenticate, baseUrl }: By,
  suite: SuiteRow,
  leave: () => void,
) {
  const { suites, environments, runs, gateway, choose, remove } = deps;
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
      ...(test.counterparts && { counterparts: test.counterparts }),
      ...(test.events && { events: test.events }),
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
      id,
      runId,
      testId,
      environmentId,
      token,
      actors: Object.fromEntries(
        Object.entries(created.services).map(([name, { userId }]) => [name, userId]),
      ),
      stepCount: 0,
      reward: null,
      isOver: false,
    };
    return answer(
      {
        prompt: promptAt(test.prompt, created.clock.now),
        test_id: testId,
        test: test.name,
        user_id: actor,
        service,
        service_url: baseUrl + created.environmentUrl,
        mcp_url: baseUrl + created.mcpUrl,
        services: Object.fromEntries(
          Object.entries(created.services).map(([name, { url, mcpUrl, userId }]) => [
            name,
            { url: baseUrl + url, mcp_url: baseUrl + mcpUrl, user_id: userId },
          ]),
        ),
        token,
        now: created.clock.now,
        expires_at: created.expiresAt,
      },
      { episode_id: id, run_id: runId, environment_id: environmentId },
    );
  }

  /** The tools of its agent. */
  const tools = () => toolsOf(suite, episode?.actors);

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
    const call = { name, arguments: args };
    const place = { ...episode, service: suite.service };
    return stepped({ tool_name: name, ...(await callTool(gateway, place, call, baseUrl)) });
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

function answer(observation: object, metadata: object = {}): Answer {
  return { observation: { ...observation, metadata }, reward: null, done: false, metadata };
}

/** The answer to a step: a trainer adds up the rewards of all steps, and only the last one has any. */
const stepped = (observation: object, metadata: object = {}): Answer => ({
  ...answer(observation, metadata),
  reward: 0,
});
