/**
 * Posts events to the addresses of apps.
 *
 * Every server looks for apps that have something to post; the one that gets the lease of an app posts, so that no event
 * is sent twice unless a server dies. An app that has opened connections gets its events over those.
 */
import type { Config } from "~/config";
import { isUnavailable, type Pool } from "~/db/connect";
import { EnvironmentEnded } from "~/db/opening";
import { createEgress } from "~/http/egress/egress";
import { createTargets } from "~/http/egress/targets";
import { errorFields, type Log } from "~/log";
import type { Activity } from "~/platform/activity";
import { nowOf } from "~/platform/environments/clock";
import type { Answering } from "~/platform/events/answering";
import { release } from "~/platform/events/deliveries-store";
import type { Derivation } from "~/platform/events/derivation";
import type { Places } from "~/platform/events/place";
import { createPoster } from "~/platform/events/poster";
import { type Addressed, listAddressed } from "~/platform/events/posting-store";
import { createTurns } from "~/platform/events/turns";
import { POSTING } from "~/platform/outbox/store";

/** Between two looks: while something waits, and otherwise, for what no notification announces. */
const LOOK_MS = { busy: 500, idle: 5_000 };
/** Notifications within this time lead to one look. */
const TOGETHER_MS = 10;
/** Apps that a look finds. */
const FOUND_MAX = 1_000;

type Turn = Addressed & { readonly key: string; readonly host: string };

function isDue({ dueAt, isSent, isAsked, timing }: Addressed): boolean {
  if (isAsked) return false;
  return isSent || (dueAt !== null && (dueAt === 0 || dueAt <= nowOf(timing)));
}

export function createPosting(deps: {
  pool: Pool;
  places: Places;
  derivation: Derivation;
  answering: Answering;
  activity: Pick<Activity, "noteDelivery">;
  log: Log;
  config: Pick<Config, "EVENT_TARGETS" | "DATABASE_URL">;
  /** The ports that this server listens on, its own first. */
  ownPorts: () => readonly number[];
}) {
  const { pool, derivation, log, config, ownPorts } = deps;
  const server = `${POSTING}${crypto.randomUUID()}`;
  let isStopping = false;
  const targets = createTargets({
    ...{ allowed: config.EVENT_TARGETS, databaseUrl: config.DATABASE_URL, ownPorts },
  });
  const turn = createPoster({
    ...{ ...deps, server, egress: createEgress({ targets }) },
    ownUrl: () => `http://127.0.0.1:${ownPorts()[0]}`,
    isStopping: () => isStopping,
  });

  const turns = createTurns<Turn>(async ({ environmentId, app }) => {
    try {
      return await turn({ environmentId, app });
    } catch (error) {
      const isExpected = error instanceof EnvironmentEnded || isUnavailable(error);
      if (!isExpected) log.error("events not posted", { environmentId, ...errorFields(error) });
      return false;
    }
  });

  /** Looks for what is due, of some environments or of all. Returns whether something waits. */
  async function look(environments?: readonly string[]): Promise<boolean> {
    const wanted = { limit: FOUND_MAX, ...(environments && { environments }) };
    const found = await listAddressed(pool, server, wanted);
    for (const each of found) {
      if (each.isBehind) derivation.soon(each.environmentId);
      const host = URL.parse(each.requestUrl)?.hostname ?? "";
      if (isDue(each)) turns.offer({ ...each, key: `${each.environmentId} ${each.app}`, host });
    }
    return found.length > 0;
  }

  const report = (error: unknown) => {
    if (!isUnavailable(error)) log.error("events to post not looked for", errorFields(error));
    return true;
  };

  let looking: NodeJS.Timeout | undefined;
  async function lookAtAll(): Promise<void> {
    const isBusy = await look().catch(report);
    plan(isBusy ? LOOK_MS.busy : LOOK_MS.idle);
  }
  function plan(ms: number): void {
    clearTimeout(looking);
    if (!isStopping) looking = setTimeout(() => void lookAtAll(), ms);
  }
  plan(LOOK_MS.busy);

  const woken = new Set<string>();
  async function lookAtWoken(): Promise<void> {
    const environments = [...woken];
    woken.clear();
    const isBusy = await look(environments).catch(report);
    if (isBusy) plan(LOOK_MS.busy);
  }

  return {
    /** Something is due in an environment. */
    wake(environmentId: string): void {
      if (isStopping) return;
      if (woken.size === 0) setTimeout(() => void lookAtWoken(), TOGETHER_MS);
      woken.add(environmentId);
    },

    /** Ends after the requests in progress. */
    async stop(): Promise<void> {
      isStopping = true;
      clearTimeout(looking);
      await turns.stop();
      await release(pool, server).catch(() => undefined);
    },
  };
}
