/** Makes the calls of counterparts, as their persons. */
import type { Cause } from "~/db/cause";
import { inSavepoint, isUnavailable, type Tx } from "~/db/connect";
import { type Session, sessionWithin, tablesOf } from "~/db/session";
import { ApiError } from "~/errors";
import type { Row } from "~/evaluation/predicate";
import { errorFields, type Log } from "~/log";
import { type PersonAct, requireOpen } from "~/platform/counterparts/store";
import { filledFrom } from "~/platform/counterparts/values";
import type { EnvironmentRow } from "~/platform/environments/store";
import { actorsIn } from "~/platform/environments/view";
import type { Templates } from "~/platform/templates/templates";
import type { Given } from "~/replicas/acting";
import type { Caller } from "~/replicas/caller";
import { requireReplica } from "~/replicas/index";
import { WORLD } from "~/replicas/members";
import { newAccount, type ReplicaCall } from "~/replicas/replica";
import { serviceSession } from "~/replicas/service-session";
import type { Source } from "~/source";
import { HeaderList, HttpRequest, JSON_HEADERS } from "~/wire/message";

/** An action that the service has rejected. */
class Rejected extends Error {}

const ERROR_MAX = 500;

/** The act of a rule, the row that sets it off, and what earlier ones have kept. */
export type SetOff = { readonly rule: PersonAct; readonly row: Row; readonly kept?: Row };

/** The session on the tables of a service. */
export type SessionOf = (service: string) => Session;

type Means = {
  readonly environment: EnvironmentRow;
  /** Scheme and host at which the agent reaches the server. */
  readonly baseUrl: string;
  readonly source: Source;
};

/** Acts of people that are no calls, and the events that follow from them. */
export type Acts = {
  /** Resolves when everything that was committed before has its events. */
  readonly ready: (environmentId: string) => Promise<void>;
  /** Throws `invalid_request` for an act that the person cannot do. */
  readonly raise: (tx: Tx, act: RaisedAct) => Promise<void>;
};

export type RaisedAct = {
  readonly environment: EnvironmentRow;
  readonly service: string;
  readonly session: Session;
  readonly given: Given;
  readonly cause: Cause;
};

export type Performing = ReturnType<typeof createPerforming>;

export function createPerforming(deps: { templates: Templates; acts: Acts; log: Log }) {
  const { templates, acts, log } = deps;
  /** The earlier ids that calls to a service may use. Reads them once: see `prepare`. */
  async function aliasesIn(environment: EnvironmentRow, service: string) {
    const tables = await templates.tablesOf(environment);
    const only = environment.service === WORLD ? { only: service } : {};
    return await templates.aliasesOf({ ...environment, ...only }, tables);
  }

  /** Sessions on the tables of each service of an environment, in a transaction. */
  async function sessionsIn(
    tx: Tx,
    environment: EnvironmentRow,
    source: Source,
  ): Promise<SessionOf> {
    const { schemaName, service: kind } = environment;
    const tables = await templates.tablesOf(environment);
    const whole = sessionWithin(tx, schemaName, tablesOf(tx, schemaName, tables), source);
    const services = Object.keys(actorsIn(environment));
    return (service) => serviceSession({ kind, services }, service, whole);
  }

  /** The person of a rule, as a caller of their service. */
  async function callerIn(
    tx: Tx,
    { environment, baseUrl, source }: Means,
    { service, as: actor }: PersonAct,
  ): Promise<Caller> {
    const { environmentId, tokenHash: secret } = environment;
    const sessionOf = await sessionsIn(tx, environment, source);
    return {
      session: sessionOf(service),
      actor,
      secret,
      baseUrl: `${baseUrl}/api/env/${environmentId}/services/${service}`,
      aliases: await aliasesIn(environment, service),
    };
  }

  /** Lets the person act without a call. Returns why that is not possible, null if it is. */
  async function raise(
    tx: Tx,
    { environment, source }: Means,
    { rule, row, kept }: SetOff,
  ): Promise<string | null> {
    const { act, as: user, service, name } = rule;
    const given = { ...(filledFrom(row, act, kept) as Given), user };
    const session = (await sessionsIn(tx, environment, source))(service);
    const cause = { counterpart: name, micros: source.micros };
    try {
      await acts.raise(tx, { environment, service, session, given, cause });
      return null;
    } catch (error) {
      if (error instanceof ApiError) return error.message;
      throw error;
    }
  }

  /** Performs an action; a rejected one changes nothing. Returns why it was rejected, null if it was not. */
  async function attempt(tx: Tx, means: Means, setOff: SetOff): Promise<string | null> {
    const { rule, row, kept } = setOff;
    try {
      await inSavepoint(tx, async (nested) => {
        const error = rule.act
          ? await raise(nested, means, setOff)
          : await perform(await callerIn(nested, means, rule), rule, row, kept);
        if (error !== null) throw new Rejected(error);
      });
      return null;
    } catch (error) {
      if (error instanceof Rejected) return error.message.slice(0, ERROR_MAX).toWellFormed();
      if (isUnavailable(error)) await requireOpen(tx);
      const { environmentId } = means.environment;
      log.error("action failed", {
        environment_id: environmentId,
        counterpart: rule.name,
        ...errorFields(error),
      });
      return "internal_error";
    }
  }

  return {
    /** Reads what actions need, before a transaction holds a connection. */
    async prepare(environment: EnvironmentRow, rules: readonly PersonAct[]): Promise<void> {
      for (const { service } of rules) await aliasesIn(environment, service);
      if (rules.some(({ act }) => act)) await acts.ready(environment.environmentId);
    },
    attempt,
    sessionsIn,
  };
}

/** Makes the call of a rule. Returns the error that the service answers with, null if it has none. */
async function perform(
  caller: Caller,
  { say, call, service }: PersonAct,
  row: Row,
  kept: Row | undefined,
): Promise<string | null> {
  const replica = requireReplica(service);
  const { acting } = replica;
  if (call?.tool !== undefined) {
    const given = filledFrom(row, call.arguments ?? {}, kept) as Given;
    const profile = Object.values(replica.toolProfiles ?? {}).find(({ tools }) =>
      tools.some(({ name }) => name === call.tool),
    );
    const result = await profile?.call({ ...caller, name: call.tool, arguments: given });
    if (!result) return "unknown tool";
    return result.isError ? result.text : null;
  }
  const words = acting?.say && say && { channel: { $trigger: acting.say.channel }, ...say };
  const given = filledFrom(row, words ?? call?.arguments ?? {}, kept) as Given;
  const name = words ? acting?.say?.name : (call?.method ?? call?.operation);
  const made = acting?.request(name ?? "", words ? withoutNulls(given) : given);
  if (!made) return "unknown call";
  const account = newAccount(name ?? "");
  const answer = await replica.handle({
    ...caller,
    account,
    path: made.path,
    request: new HttpRequest("POST", `/${made.path}`, HeaderList.of(JSON_HEADERS)),
    body: new TextEncoder().encode(JSON.stringify(made.body)),
    ...NOT_FROM_OUTSIDE,
  });
  return account.error ?? (answer.status >= 400 ? `HTTP ${answer.status}` : null);
}

const withoutNulls = (given: Given): Given =>
  Object.fromEntries(Object.entries(given).filter(([, value]) => value !== null));

const NOT_FROM_OUTSIDE = {
  userToken: undefined,
  isAnonymous: false,
  mayImpersonate: false,
  hasApp: async () => false,
  userOfApp: async () => undefined,
  answerEvent: async () => undefined,
  failuresOf: async () => new Map(),
} satisfies Partial<ReplicaCall>;
