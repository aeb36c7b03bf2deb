/** Environments: disposable copies of a template, deleted on request or when they expire. */
import type { Pool } from "~/db/connect";
import { tryLockSchema } from "~/db/schema-locks";
import type { SessionPool } from "~/db/session-pool";
import { ApiError } from "~/errors";
import { pageOf, readPage } from "~/http/page";
import type { Metrics } from "~/metrics";
import type { Capacity } from "~/platform/environments/capacity";
import { createCreation } from "~/platform/environments/creation";
import { type RunClosing, remove } from "~/platform/environments/ending-store";
import { environmentId, notFound, requireId } from "~/platform/environments/id";
import type {
  CreatedEnvironment,
  Environment,
  EnvironmentQuery,
  NewEnvironment,
} from "~/platform/environments/model";
import { type Caller, createPlanning } from "~/platform/environments/plan";
import { createRemembered } from "~/platform/environments/remembered";
import type { SchemaPool } from "~/platform/environments/schema-pool";
import * as store from "~/platform/environments/store";
import { viewListed } from "~/platform/environments/view";
import type { Once } from "~/platform/idempotency/idempotency";
import type { Keys } from "~/platform/keys/keys";
import type { Suites } from "~/platform/suites/suites";
import type { Templates } from "~/platform/templates/templates";
import { requireKind } from "~/replicas/world";
import type { NewId } from "~/source";

export type Environments = ReturnType<typeof createEnvironments>;

const LIST = "environments";
const OTHERS_MS = 1_000;

export function createEnvironments(deps: {
  pool: Pool;
  sessionPool: SessionPool;
  templates: Templates;
  suites: Suites;
  schemaPool: SchemaPool;
  keys: Keys;
  metrics: Metrics;
  capacity: Capacity;
  newId: NewId;
  /** Closes the runs of an environment that ends. */
  runClosing: RunClosing;
}) {
  const { pool, schemaPool, runClosing } = deps;
  const { find, findByToken, remember, forget, stop } = createRemembered(deps);
  const { insert, createOne, createAll } = createCreation(deps);
  const plan = createPlanning(deps);

  /** Waits until no other server can run its calls either, but not for a server that does not answer. */
  async function othersForget(schema: string): Promise<void> {
    for (let wait = 2; wait < OTHERS_MS; wait *= 2) {
      if (await tryLockSchema(pool, schema)) return;
      await Bun.sleep(wait);
    }
  }

  return {
    find,
    findByToken,

    /** Inserts planned environments in the caller's transaction. */
    insert,

    async create(
      principal: Caller,
      wanted: NewEnvironment,
      once?: Once,
    ): Promise<CreatedEnvironment> {
      const { task, ...planned } = await plan(principal, wanted);
      const answerOne = (made: readonly Environment[]) => ({ ...firstOf(made), ...task });
      const order = { principal, plan: planned, once };
      if (wanted.count !== undefined) {
        const answer = (made: readonly Environment[]) => ({
          ...answerOne(made),
          environments: [...made],
        });
        return (await createAll({ ...order, answer })).answer;
      }
      const { places, answer } = await createOne({ ...order, answer: answerOne });
      const { common, templateSchema } = planned;
      for (const { token: _, ...place } of places)
        remember({
          ...common,
          ...place,
          templateSchema,
          secondsLeft: common.ttlSeconds,
          state: "live",
        });
      return answer;
    },

    /** Returns a live environment of this user. Throws `environment_not_found`. */
    async require(userId: string, id: string): Promise<store.EnvironmentRow> {
      const plain = environmentId(id);
      const environment =
        plain === undefined ? undefined : await store.find(pool, plain, { userId });
      if (environment?.state !== "live") throw notFound(id);
      return environment;
    },

    /** The same by an id from a path. Throws `invalid_environment_path` as well. */
    async requirePath(userId: string, envId: string): Promise<store.EnvironmentRow> {
      return await this.require(userId, requireId(envId));
    },

    /** Lists this user's environments, in pages. */
    async list(userId: string, query: EnvironmentQuery) {
      const page = readPage(query, LIST, userId);
      const { templateName, status } = query;
      const service = query.service === undefined ? undefined : requireKind(query.service);
      const found = await store.list(pool, userId, { service, templateName, status }, page);
      const { rows, ...rest } = pageOf(found, page, LIST, userId);
      return { environments: rows.map(viewListed), ...rest };
    },

    /** Ends an environment and closes its running run. Its schema is recycled in the background. */
    async remove(
      userId: string,
      id: string,
    ): Promise<{ environmentId: string; status: "deleted" }> {
      const plain = requireId(id);
      const environment = await store.find(pool, plain, { userId });
      if (!environment || environment.state === "expired") throw notFound(id);
      const ended = await remove(pool, plain, runClosing);
      if (!ended)
        throw new ApiError(
          "environment_already_deleted",
          "The environment has been deleted already",
        );
      const forgotten = forget(plain).catch(() => undefined);
      await Promise.race([forgotten, Bun.sleep(OTHERS_MS)]);
      await othersForget(ended.schemaName);
      schemaPool.recycle(ended.schemaName).catch(() => undefined);
      return { environmentId: plain, status: "deleted" };
    },

    stop,
  };
}

function firstOf([first]: readonly Environment[]): Environment {
  if (!first) throw new Error("no environment was created");
  return first;
}
