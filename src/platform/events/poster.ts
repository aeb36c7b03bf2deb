/** Posts the due deliveries of an app to its address: one after the other, each attempt noted before and after it. */
import type { Pool } from "~/db/connect";
import type { Egress } from "~/http/egress/egress";
import type { Activity } from "~/platform/activity";
import type { Answering } from "~/platform/events/answering";
import * as store from "~/platform/events/deliveries-store";
import { endLate, type Failed, fail } from "~/platform/events/failures-store";
import { outcomeOf } from "~/platform/events/formats";
import type { OpenPlace, Places } from "~/platform/events/place";
import { type Address, findAddress, noteChallenge } from "~/platform/events/posting-store";
import { type Events, NOT_CONNECTED } from "~/replicas/events";
import { REPLICAS } from "~/replicas/index";

/** Nothing is sent in the last part of a lease: the clocks of two servers are not compared. */
const MARGIN_MS = 2_000;
/** The time to begin a request, at least, and between two renewals of a lease. */
const LEASE = { beginMs: 5_000, renewedMs: 3_000 };
/** No request begins after this part of a turn. */
const TURN = { count: 20, ms: 1_000 };
/** Of a payload: there is one. */
const ONE = { count: 1, underWay: 1, bytes: 256 * 1024 };
/** Between two challenges of an address that does not answer them. */
const CHALLENGE_MS = 2_000;

/** The rest after a turn: more to post now, nothing, or an app that another server has. */
type Left = "more" | "nothing" | "taken";

export function createPoster(deps: {
  pool: Pool;
  places: Places;
  egress: Egress;
  answering: Answering;
  activity: Pick<Activity, "noteDelivery">;
  /** The name that this server leases by. */
  server: string;
  /** The address at which an app reaches this server, if the caller's is not known. */
  ownUrl: () => string;
  isStopping: () => boolean;
}) {
  const { pool, places, egress, answering, activity, server } = deps;

  /** Keeps the lease. Undefined: another server has it, or the app is gone. `until`: a request may begin. */
  async function hold(ref: store.AppRef, events: Events) {
    const { acknowledgeMs: lateMs } = events.schedule;
    const since = performance.now();
    const renewMs = lateMs + MARGIN_MS + LEASE.beginMs;
    const times = { ms: renewMs + LEASE.renewedMs, renewMs };
    const [leased] = await store.lease(pool, [{ ...ref, lateMs }], server, times);
    if (!leased || leased.leftMs === null) return undefined;
    return { ...leased, until: since + leased.leftMs - lateMs - MARGIN_MS };
  }

  /** Whether events may be posted to an address: it has answered the challenge, or is not allowed, which they note. */
  async function isReady(
    { environment }: OpenPlace,
    ref: store.AppRef,
    { request: mode, schedule }: Events,
    { requestUrl, isVerified }: Address,
  ): Promise<boolean> {
    const challenge = isVerified ? undefined : mode.challenge?.(environment.tokenHash, ref.app);
    if (!challenge) return true;
    const { redirectsMax } = mode;
    const limits = { acknowledgeMs: schedule.acknowledgeMs, redirectsMax };
    const posted = await egress.post(requestUrl, challenge.request, limits);
    if ("blocked" in posted) return true;
    const outcome = outcomeOf(mode, { number: 0, attempt: 0 }, posted);
    const failed = outcome && "reason" in outcome ? outcome.reason : undefined;
    const isMet = "body" in posted && posted.body.includes(challenge.expected);
    const problem = failed ?? (isMet ? null : "it answers without the challenge");
    await noteChallenge(pool, ref, { requestUrl, problem, againMs: CHALLENGE_MS });
    return problem === null;
  }

  /** Posts a delivery, and gives its answer its effect. Returns the outcome of the attempt. */
  async function send(
    { environment }: OpenPlace,
    { environmentId, app }: store.AppRef,
    { events, address }: { readonly events: Events; readonly address: Address },
    { user, webhook, ...delivery }: store.Sending,
  ): Promise<store.Attempted | Failed> {
    const { number, attempt } = delivery;
    const failed = { number, attempt, isLast: false };
    if (delivery.disconnects) return { ...failed, reason: NOT_CONNECTED };
    const { request: mode, schedule } = events;
    const base = address.baseUrl ?? deps.ownUrl();
    const baseUrl = `${base}/api/env/${environmentId}/services/${address.service}`;
    const request = mode.request(environment.tokenHash, {
      ...{ ...delivery, app: { id: app, user, webhook }, baseUrl },
    });
    const { redirectsMax } = mode;
    const limits = { acknowledgeMs: schedule.acknowledgeMs, redirectsMax };
    const posted = await egress.post(address.requestUrl, request, limits);
    if ("blocked" in posted)
      return {
        ...{ ...failed, reason: posted.blocked, isLast: true, isBlocked: true },
        answer: NOT_CONNECTED, // who creates a webhook does not learn what is allowed
      };
    const outcome = outcomeOf(mode, delivery, posted) ?? { ...failed, reason: NOT_CONNECTED };
    if ("reason" in outcome) return outcome;
    if (delivery.isSingle) return await answering.outcomeOf({ environmentId, app }, outcome);
    return { number, attempt };
  }

  /** Posts what is due now, up to the end of the turn. */
  async function post(ref: store.AppRef, place: OpenPlace, address: Address): Promise<Left> {
    const { events } = REPLICAS.get(address.service) ?? {};
    if (!events) return "nothing";
    const end = performance.now() + TURN.ms;
    for (let count = 0; count < TURN.count && performance.now() < end; count++) {
      const leased = await hold(ref, events);
      if (!leased) return "taken";
      const now = await place.now();
      if (count === 0) {
        if (leased.isNew) await store.takeOver(pool, ref);
        await endLate(pool, ref, now, events.schedule);
        if (!(await isReady(place, ref, events, address))) return "nothing";
        continue; // the challenge takes a part of the lease
      }
      const [delivery] = deps.isStopping() ? [] : await store.takeDue(pool, ref, now, ONE);
      if (!delivery) return "nothing";
      activity.noteDelivery(ref.environmentId);
      // Not that of the beginning of the turn: it may have been changed since.
      const current = await findAddress(pool, ref);
      if (!current) return "nothing";
      const isSame = current.requestUrl === address.requestUrl;
      // Not ready, or too late: it is noted as sent, and sent again.
      if (!isSame && !(await isReady(place, ref, events, current))) return "taken";
      if (performance.now() > leased.until) return "taken";
      const outcome = await send(place, ref, { events, address: current }, delivery);
      if ("reason" in outcome) await fail(pool, ref, await place.now(), events.schedule, [outcome]);
      else await store.acknowledge(pool, ref, [outcome]);
    }
    return "more";
  }

  /** Posts the due deliveries of an app for a while. Returns whether there may be more. Throws. */
  return async function turn(ref: store.AppRef): Promise<boolean> {
    const place = await places.open(ref.environmentId);
    const address = place && (await findAddress(pool, ref));
    if (!place || !address) return false;
    const left = await post(ref, place, address);
    if (left === "nothing") await store.release(pool, server, ref);
    return left === "more";
  };
}
