/** Replaces and shows the counterparts of an environment. */
import type { Pool } from "~/db/connect";
import { openSession, tablesOf } from "~/db/session";
import { ApiError } from "~/errors";
import type { ActDone, Counterpart, CounterpartList, NewAct } from "~/platform/counterparts/model";
import { listTimes, type PendingAction } from "~/platform/counterparts/pending-store";
import { requireAct, requireCounterparts } from "~/platform/counterparts/rules";
import * as store from "~/platform/counterparts/store";
import type { Acting } from "~/platform/environments/acting";
import { replaceCounterparts } from "~/platform/environments/actions";
import { lockTiming } from "~/platform/environments/clock-store";
import type { Environments } from "~/platform/environments/environments";
import type { Exclusive } from "~/platform/environments/exclusive";
import { notFound } from "~/platform/environments/id";
import { isRunning } from "~/platform/environments/store";
import { actorsIn } from "~/platform/environments/view";
import type { Templates } from "~/platform/templates/templates";
import { serviceSession } from "~/replicas/service-session";

export type CounterpartControl = ReturnType<typeof createCounterparts>;

export function createCounterparts(deps: {
  pool: Pool;
  /** For statements on the tables of environments. */
  replicas: Pool;
  environments: Environments;
  templates: Templates;
  exclusive: Exclusive;
  acting: Acting;
}) {
  const { pool, replicas, environments, templates, exclusive, acting } = deps;

  return {
    /** Replaces the counterparts between two calls: those that begin after the answer have the new ones. */
    async put(
      userId: string,
      envId: string,
      wanted: readonly Counterpart[],
    ): Promise<CounterpartList> {
      const environment = await environments.requirePath(userId, envId);
      const { environmentId: id, service: kind, schemaName } = environment;
      const services = Object.keys(actorsIn(environment));
      const vocabulary = await templates.vocabularyOf(environment);
      return await exclusive.run(environment, async (tx) => {
        const timing = await lockTiming(tx, id);
        if (!timing) throw notFound();
        const session = openSession(
          replicas,
          schemaName,
          tablesOf(tx, schemaName, vocabulary.tables),
        );
        const sessionOf = (service: string) => serviceSession({ kind, services }, service, session);
        const rules = await requireCounterparts({ services, vocabulary, sessionOf }, wanted);
        if (await isRunning(tx, id))
          throw new ApiError(
            "invalid_request",
            "counterparts: the environment has an active run; they are given before a run",
          );
        return view(id, await replaceCounterparts(tx, environment, timing, rules));
      });
    },

    /** Lets a person act between two calls. Throws `invalid_request` if their service rejects it. */
    async act(userId: string, envId: string, wanted: NewAct, baseUrl: string): Promise<ActDone> {
      const environment = await environments.requirePath(userId, envId);
      const { service: kind, schemaName } = environment;
      const services = Object.keys(actorsIn(environment));
      const tables = await templates.tablesOf(environment);
      const session = openSession(replicas, schemaName, tablesOf(replicas, schemaName, tables));
      const sessionOf = (service: string) => serviceSession({ kind, services }, service, session);
      const act = await requireAct({ services, sessionOf }, wanted);
      const error = await acting.once(environment, baseUrl, act);
      if (error !== null)
        throw new ApiError("invalid_request", `${act.service} rejects it: ${error}`);
      return { environmentId: environment.environmentId };
    },

    async show(userId: string, envId: string): Promise<CounterpartList> {
      const { environmentId: id } = await environments.requirePath(userId, envId);
      const state = await store.find(pool, id);
      const pending = state ? await listTimes(pool, id) : [];
      return view(id, { ...(state ?? store.newState([])), pending });
    },
  };
}

const view = (
  id: string,
  {
    rules,
    progress,
    pending,
  }: store.CounterpartState & { readonly pending: readonly Pick<PendingAction, "rule" | "due">[] },
): CounterpartList => ({
  environmentId: id,
  counterparts: rules.map(({ table: _, unlessTable: __, ...rule }, index) => ({
    ...rule,
    fired: progress.fired[index] ?? 0,
    dropped: progress.dropped?.[index] ?? 0,
    lastError: progress.errors[index] ?? null,
  })),
  pending: pending.flatMap(({ rule, due }) => {
    const name = rules[rule]?.name;
    return name === undefined ? [] : [{ name, due: new Date(due).toISOString() }];
  }),
});
