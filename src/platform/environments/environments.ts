/** Environments: disposable copies of a template, deleted on request or when they expire. */
import { timingSafeEqual } from "node:crypto";
import { LRUCache } from "lru-cache";
import { inTransaction, type Pool, type Sql } from "~/db/connect";
import { tryLockSchema } from "~/db/schema-locks";
import type { SessionPool } from "~/db/session-pool";
import { ApiError, LimitExceeded, unavailable } from "~/errors";
import type { Principal } from "~/http/auth";
import { pageOf, readPage } from "~/http/page";
import { firstReading, firstTiming, viewClock } from "~/platform/environments/clock";
import { environmentId, notFound, requireId } from "~/platform/environments/id";
import {
  type CreatedEnvironment,
  type Environment,
  type EnvironmentQuery,
  type NewEnvironment,
  TTL_SECONDS_DEFAULT,
} from "~/platform/environments/model";
import type { Creation, SchemaPool } from "~/platform/environments/schema-pool";
import * as store from "~/platform/environments/store";
import { requireFaults } from "~/platform/faults/rules";
import { type FaultState, insert as insertFaults, newState } from "~/platform/faults/store";
import { hashCredential, newCredential } from "~/platform/keys/format";
import type { Once } from "~/platform/keys/idempotency";
import { CONCURRENT_ENVIRONMENTS, type Keys } from "~/platform/keys/keys";
import { promptAt } from "~/platform/suites/prompt";
import type { Suites } from "~/platform/suites/suites";
import { requireReplica, type Templates } from "~/platform/templates/templates";

export type Environments = ReturnType<typeof createEnvironments>;

export function createEnvironments(deps: {
  pool: Pool;
  sessionPool: SessionPool;
  templates: Templates;
  suites: Suites;
  schemaPool: SchemaPool;
  keys: Keys;
  /** Closes the runs of an environment that ends. */
  runClosing: store.RunClosing;
}) {
  const { pool, sessionPool, templates, suites, schemaPool, keys, runClosing } = deps;

  /** Without a resolution it would set a timer when it finds one, which makes found ones slower than unknown ones. */
  const known = new LRUCache<string, store.EnvironmentRow>({
    max: REMEMBERED_MAX,
    ttlResolution: 0,
  });

  /** Handles the end of an environment, here or on another server. Resolves when none of its calls can run any more. */
  async function forget(environmentId: string): Promise<void> {
    known.delete(environmentId);
    await sessionPool.release(environmentId);
  }

  const listening = pool.listen(store.CHANNEL, (environmentId) => {
    forget(environmentId).catch(() => undefined);
  });

  /** Catches up on ended environments: notifications can be lost with a connection. */
  async function sweep(): Promise<void> {
    const held = sessionPool.held();
    if (held.length === 0) return;
    for (const environmentId of await store.listEnded(pool, held)) await forget(environmentId);
  }
  const sweeping = setInterval(() => sweep().catch(() => undefined), SWEEP_MS);

  async function find(
    environmentId: string,
    owner?: store.Owner,
  ): Promise<store.EnvironmentRow | undefined> {
    const remembered = known.get(environmentId);
    if (remembered && owns(owner, remembered)) return remembered;
    const environment = await store.find(pool, environmentId, owner);
    if (environment) remember(environment);
    return environment;
  }

  function remember(environment: store.EnvironmentRow): void {
    const seconds = Math.min(REMEMBERED_SECONDS, environment.secondsLeft - EXPIRY_MARGIN_SECONDS);
    if (environment.state !== "live" || seconds <= 0) return;
    known.set(environment.environmentId, environment, { ttl: seconds * 1000 });
  }

  /** Waits until no other server can run its calls either, but not for a server that does not answer. */
  async function othersForget(schema: string): Promise<void> {
    for (let wait = 2; wait < OTHERS_MS; wait *= 2) {
      if (await tryLockSchema(pool, schema)) return;
      await Bun.sleep(wait);
    }
  }

  /** Counts more environments of this key, in the transaction that creates them. Throws LimitExceeded. */
  async function countAgainstLimits(tx: Sql, principal: Principal, count = 1): Promise<void> {
    const max = CONCURRENT_ENVIRONMENTS[principal.plan];
    if (Number.isFinite(max)) {
      await store.lockKey(tx, principal.keyId);
      const current = await store.countLive(tx, principal.keyId);
      if (current + count > max)
        throw new LimitExceeded("concurrent environment", max, current, RETRY_AFTER_SECONDS);
    }
    for (let n = 0; n < count; n++) await keys.countEnvironment(tx, principal);
  }

  /**
   * Resolves a request, by its test or by name, to a template and a new row. Throws if it is incomplete or refers to
   * something that does not exist.
   */
  async function resolve({ userId, keyId }: Principal, wanted: NewEnvironment) {
    const test =
      wanted.testId === undefined ? undefined : await suites.requireTest(userId, wanted.testId);
    const templateService = test?.service ?? wanted.templateService;
    const templateName = test?.templateName ?? wanted.templateName;
    if (templateService === undefined)
      throw new ApiError("invalid_request", "templateService: needed when testId is not given");
    const { service } = requireReplica(templateService);
    if (templateName === undefined)
      throw new ApiError("invalid_request", "templateName: needed when testId is not given");
    const template = await templates.require(userId, service, templateName);
    const by = who(wanted, test?.actingUserId);
    requireStyle(service, wanted.tokenStyle);
    const common = {
      userId,
      keyId,
      service,
      templateName,
      actingUserId: await templates.requireUser(template, by),
      ttlSeconds: wanted.ttlSeconds ?? TTL_SECONDS_DEFAULT,
      allowImpersonation: wanted.allowImpersonation ?? false,
      timing: firstTiming(firstReading(wanted.clock, template.opensAt), wanted.seed),
    };
    const { faults = test?.faults ?? [] } = wanted;
    requireFaults(service, faults);
    return {
      common,
      templateSchema: template.schemaName,
      faults: faults.length > 0 ? newState(faults) : null,
      task: test && { prompt: promptAt(test.prompt, viewClock(common.timing).now) },
    };
  }

  /** Creates several environments at the same time, all or none. They are complete before they exist. */
  async function createBatch(
    principal: Principal,
    { common, templateSchema, count, tokenStyle, lineage, faults, prepare, transact }: Batch,
    once?: Keeping,
  ): Promise<Environment[]> {
    const schemas = await schemaPool.reserve(templateSchema, count);
    try {
      await prepare?.(schemas);
      const made = schemas.map((schemaName) => ({ schemaName, ...identify(tokenStyle) }));
      const insert = async (tx: Sql) => {
        await once?.take(tx);
        if (keys.limited) await countAgainstLimits(tx, principal, count);
        const expiresAt = await store.insertReserved(tx, common, made, lineage);
        if (!expiresAt) throw unavailable("The environments took too long to prepare");
        if (faults)
          await insertFaults(
            tx,
            made.map(({ environmentId }) => environmentId),
            faults,
          );
        const answers = made.map(({ token, ...row }) =>
          answerOf({ ...common, ...row }, { schemaName: row.schemaName, expiresAt }, token),
        );
        await once?.keep(tx, answers);
        return answers;
      };
      return await (transact ? transact(made, insert) : inTransaction(pool, insert));
    } catch (error) {
      await schemaPool.giveBack(schemas);
      throw error;
    }
  }

  return {
    async create(
      principal: Principal,
      wanted: NewEnvironment,
      once?: Once,
    ): Promise<CreatedEnvironment> {
      const { common, templateSchema, faults, task } = await resolve(principal, wanted);
      const { count, tokenStyle } = wanted;
      if (count !== undefined) {
        const all = (environments: Environment[]) => ({
          ...firstOf(environments),
          ...task,
          environments,
        });
        const keeping = once && {
          ...once,
          keep: (tx: Sql, made: Environment[]) => once.keep(tx, all(made)),
        };
        return all(
          await createBatch(
            principal,
            { common, templateSchema, count, tokenStyle, faults },
            keeping,
          ),
        );
      }
      const { token, ...identity } = identify(tokenStyle);
      const row = { ...common, ...identity };
      // Read once: the answer that is kept is the one that is sent.
      const clock = viewClock(row.timing);
      const answer = (claimed: store.Claimed) => ({
        ...answerOf(row, claimed, token),
        ...task,
        clock,
      });
      const transact: Creation = async (tx, insert) => {
        await once?.take(tx);
        if (keys.limited) await countAgainstLimits(tx, principal);
        const claimed = await insert();
        if (faults) await insertFaults(tx, [row.environmentId], faults);
        await once?.keep(tx, answer(claimed));
        return claimed;
      };
      // Without limits, idempotency key and faults, one statement claims a schema and inserts the row.
      const needsTransaction = keys.limited || once !== undefined || faults !== null;
      const claimed = await schemaPool.claim(
        templateSchema,
        row,
        needsTransaction ? transact : undefined,
      );
      remember({ ...row, ...claimed, templateSchema, secondsLeft: row.ttlSeconds, state: "live" });
      return answer(claimed);
    },

    createBatch,

    /**
     * Finds the owner's environment by its plain id, or anyone's without an owner, in any state; undefined if there is
     * none. It may be cached for as long as it cannot expire: if it has ended meanwhile, the session pool rejects its
     * calls. A call by a stranger costs the same lookup as an unknown id, so that response times reveal nothing.
     */
    find,

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
      const service =
        query.service === undefined ? undefined : requireReplica(query.service).service;
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
      const ended = await store.remove(pool, plain, runClosing);
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

    async stop() {
      clearInterval(sweeping);
      await listening.then(({ unlisten }) => unlisten()).catch(() => undefined);
    },
  };
}

/** Several environments that differ only in their ids and tokens. */
export type Batch = {
  readonly common: Omit<store.NewEnvironmentRow, "environmentId" | "tokenHash">;
  readonly templateSchema: string;
  readonly count: number;
  readonly tokenStyle?: NewEnvironment["tokenStyle"];
  readonly lineage?: store.Lineage;
  readonly faults: FaultState | null;
  /** Fills their schemas, which equal the template. */
  readonly prepare?: (schemas: readonly string[]) => Promise<void>;
  /** Runs `insert` in a transaction that does more, perhaps again after it was rolled back. */
  readonly transact?: (
    made: readonly store.Reserved[],
    insert: (tx: Sql) => Promise<Environment[]>,
  ) => Promise<Environment[]>;
};

/** An idempotency key for environments, whose answer may contain more. */
export type Keeping = {
  readonly take: Once["take"];
  readonly keep: (sql: Sql, made: Environment[]) => Promise<void>;
};

function firstOf([first]: readonly Environment[]): Environment {
  if (!first) throw new Error("no environment was created");
  return first;
}

/** A new id, and a token with the hash that is stored. */
function identify(tokenStyle: NewEnvironment["tokenStyle"]) {
  const token = newCredential("e");
  return {
    environmentId: crypto.randomUUID().replaceAll("-", ""),
    tokenHash: hashCredential(token),
    token: tokenStyle === undefined ? token : `${tokenStyle}-${token}`,
  };
}

export function requireStyle(service: string, tokenStyle: NewEnvironment["tokenStyle"]): void {
  if (tokenStyle !== undefined && service !== "chat")
    throw new ApiError("invalid_request", "tokenStyle: only the tokens of chat have a prefix");
}

const pathOf = (environmentId: string, service: string) =>
  `/api/env/${environmentId}/services/${service}`;

/** The paths of its service's API and of its tools. */
const pathsOf = ({ environmentId, service }: { environmentId: string; service: string }) => ({
  environmentUrl: pathOf(environmentId, service),
  mcpUrl: `${pathOf(environmentId, service)}/mcp`,
});

const answerOf = (
  { environmentId, service, templateName, timing }: store.NewEnvironmentRow,
  { schemaName, expiresAt }: store.Claimed,
  token: string,
): Environment => ({
  environmentId,
  ...pathsOf({ environmentId, service }),
  schemaName,
  expiresAt: expiresAt.toISOString(),
  templateSchema: templateName,
  service,
  clock: viewClock(timing),
  token,
});

/** An environment as lists show it. */
export const viewListed = (
  environment: store.EnvironmentState & Pick<store.ListedEnvironment, "actingUserId" | "run">,
) => ({
  ...view(environment),
  impersonateUserId: environment.actingUserId,
  run: environment.run && {
    ...environment.run,
    startedAt: new Date(environment.run.startedAt).toISOString(),
  },
});

export const view = (environment: store.EnvironmentState) => ({
  environmentId: environment.environmentId,
  ...pathsOf(environment),
  schemaName: environment.schemaName,
  expiresAt: environment.expiresAt.toISOString(),
  templateSchema: environment.templateName,
  service: environment.service,
  status: environment.state === "live" ? ("active" as const) : ("deleted" as const),
  createdAt: environment.createdAt.toISOString(),
});

const LIST = "environments";
const RETRY_AFTER_SECONDS = 10;
const SWEEP_MS = 5_000;
const OTHERS_MS = 1_000;
const REMEMBERED_SECONDS = 10;
/** Just before it expires, an environment is looked up on every call, by the database's clock. */
const EXPIRY_MARGIN_SECONDS = 1;
const REMEMBERED_MAX = 20_000;

function owns(owner: store.Owner | undefined, { userId, tokenHash }: store.EnvironmentRow) {
  if (owner === undefined) return true;
  return "userId" in owner ? owner.userId === userId : timingSafeEqual(owner.tokenHash, tokenHash);
}

/** Returns the user to act as, from the request or its test. */
function who(
  { impersonateUserId: id, impersonateEmail: email }: NewEnvironment,
  ofTest: string | null | undefined,
) {
  if (id !== undefined) return { id };
  if (email !== undefined) return { email };
  if (ofTest) return { id: ofTest };
  throw new ApiError("missing_impersonate", "impersonateUserId or impersonateEmail is needed");
}
