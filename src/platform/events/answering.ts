/** The answers with which apps acknowledge acts of people, and their effects in the environment: each is a call of it. */
import { isUnavailable, type Pool } from "~/db/connect";
import type { LogMark } from "~/db/driver";
import { EnvironmentEnded } from "~/db/opening";
import { findUnstorable, UNSTORABLE } from "~/db/storable";
import { errorFields, type Log } from "~/log";
import type { Acting } from "~/platform/environments/acting";
import { type CallListener, heardBy } from "~/platform/environments/call-listener";
import type { EnvironmentRow } from "~/platform/environments/store";
import { claimAnswer } from "~/platform/events/acts-store";
import type { AppRef, Attempted } from "~/platform/events/deliveries-store";
import type { Failed } from "~/platform/events/failures-store";
import type { OpenPlace, Places } from "~/platform/events/place";
import type { AnswerCall } from "~/replicas/acts";
import { REPLICAS } from "~/replicas/index";
import type { CallAccount } from "~/replicas/replica";

/** Bytes of an answer: a view has up to 250,000. */
const ANSWER_MAX = 256 * 1024;

/** Why an answer cannot be kept; undefined if it can. `text`: it as JSON. */
function problemOf(answer: Answer, text: string): string | undefined {
  if (Buffer.byteLength(text) > ANSWER_MAX) return "it is too large";
  const path = findUnstorable(answer);
  return path && `${path}: ${UNSTORABLE}`;
}

export type Answering = ReturnType<typeof createAnswering>;

/** Begins to note a call: see the journal. */
export type BeginCall = (
  environment: EnvironmentRow,
  call: { request: string; trace: null; name: string; isViewing: false; listener: CallListener },
) => {
  readonly account: CallAccount;
  readonly mark: LogMark;
  readonly end: (status: number) => Promise<void>;
  readonly fail: (error: unknown) => Promise<void>;
};

type Answer = { readonly [field: string]: unknown };
/** An attempt that an app has acknowledged, with its answer. */
export type Answered = Attempted & { readonly answer?: Answer };
type Effect = (call: AnswerCall) => Promise<string | undefined>;

export function createAnswering(deps: {
  pool: Pool;
  places: Places;
  acting: Pick<Acting, "around" | "listen">;
  beginCall: BeginCall;
  log: Log;
}) {
  const { pool, places, acting, beginCall, log } = deps;

  /** Returns why the answer is rejected, if it is. */
  async function apply(
    place: OpenPlace,
    { service, user, effect }: { service: string; user: string; effect: Effect },
    { name, answer }: { readonly name: string; readonly answer: Answer },
  ): Promise<string | undefined> {
    const { environment } = place;
    const called = environment.members ? { ...environment, service } : environment;
    const request = crypto.randomUUID();
    const listener: CallListener = {};
    const call = beginCall(called, { request, trace: null, name, isViewing: false, listener });
    call.account.arguments = answer;
    const { tokenHash: secret } = environment;
    const write = async () => {
      const settings = await place.settings();
      acting.listen(listener, environment, settings);
      const work = heardBy(listener, (session) => effect({ session, user, secret }));
      const written = () => place.write(service, call.mark, work);
      return settings.hasCounterparts
        ? await acting.around(environment, { listener }, written)
        : await written();
    };
    const rejection = await write().catch(async (error) => {
      await call.fail(error);
      throw error;
    });
    call.account.error = rejection?.split(" ")[0] ?? null;
    await call.end(200);
    return rejection;
  }

  async function rejectionOf(
    destination: AppRef,
    attempted: Attempted,
    answer: Answer,
  ): Promise<string | undefined> {
    const place = await places.open(destination.environmentId);
    const text = JSON.stringify(answer);
    const problem = problemOf(answer, text);
    const kept = problem === undefined ? text : "{}";
    const claimed = await claimAnswer(pool, { ...destination, ...attempted }, kept);
    if (!place || !claimed) return undefined;
    if (problem !== undefined) return problem;
    const { service, payload, user } = claimed;
    const effect = REPLICAS.get(service)?.acts?.effectOf({ payload, answer });
    if (!effect) return undefined;
    const { type } = payload as { readonly type?: unknown };
    const name = typeof type === "string" ? type : "command";
    return await apply(place, { service, user, effect }, { name, answer });
  }

  return {
    /** Gives an answer its effect, if it has one. Returns the outcome of the attempt: it fails if the answer is rejected. */
    async outcomeOf(
      destination: AppRef,
      { answer = {}, ...attempted }: Answered,
    ): Promise<Attempted | Failed> {
      try {
        const rejection = await rejectionOf(destination, attempted, answer);
        if (rejection === undefined) return attempted;
        return { ...attempted, reason: `its answer is rejected: ${rejection}`, isLast: true };
      } catch (error) {
        const { environmentId } = destination;
        const isExpected = isUnavailable(error) || error instanceof EnvironmentEnded;
        log[isExpected ? "debug" : "error"]("an answer had no effect", {
          ...{ environmentId, ...errorFields(error) },
        });
        return { ...attempted, reason: "its answer had no effect", isLast: true };
      }
    },
  };
}
