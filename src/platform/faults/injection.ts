/**
 * Injects faults into the calls of an environment. Which call gets which fault is decided before it takes a session: a
 * fault costs one short transaction that counts the call, and an environment without faults nothing.
 */
import { createHash } from "node:crypto";
import type { Pool } from "~/db/connect";
import {
  type Fault,
  NO_ANSWER_MS_DEFAULT,
  RETRY_AFTER_DEFAULT,
  STALE_CALLS_DEFAULT,
  type When,
} from "~/platform/faults/model";
import {
  countCall,
  type FaultState,
  findState,
  keepState,
  type PastState,
} from "~/platform/faults/store";
import { type Problem, type Selection, selects } from "~/replicas/faults";
import type { CallAccount } from "~/replicas/replica";

export type Injection = ReturnType<typeof createInjection>;

/** A call of one of the environment's services, or the delivery of an event of it. */
type Selected = Omit<Selection, "by"> & {
  readonly by: Selection["by"] | "event";
  readonly service: string;
};
/** A service of an environment. */
type Place = { readonly id: string; readonly faults: readonly Fault[]; readonly service: string };

/** Calls that wait because of a fault, on this server. Beyond that they wait no longer. */
const WAITING_MAX = 2_000;

/** A fault that a call gets, and for one that reads the past, the state that it sees. */
export type Due = { readonly fault: Fault; readonly past?: PastState };

export function createInjection(deps: {
  pool: Pool;
  /** Reads the state of an environment's tables; undefined if it cannot be kept. */
  readState: (environmentId: string) => Promise<PastState | undefined>;
}) {
  const { pool, readState } = deps;
  const waiting = new Set<() => void>();
  let isStopping = false;

  async function wait(ms: number): Promise<void> {
    if (isStopping || waiting.size >= WAITING_MAX) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    waiting.add(resolve);
    const timer = setTimeout(resolve, ms);
    await promise;
    clearTimeout(timer);
    waiting.delete(resolve);
  }

  return {
    /**
     * Returns the fault that a call gets, and counts it; undefined for none. `select` reads the call: only environments
     * with faults need that.
     */
    async due(
      { id, faults, service }: Place,
      select: () => Promise<Selection | undefined>,
    ): Promise<Due | undefined> {
      const selected = await select();
      if (!selected) return undefined;
      const selection = { ...selected, service };
      const keep = Math.max(0, ...faults.map(behind));
      if (keep === 0 && !faults.some((fault) => isFor(fault, selection))) return undefined;
      // Read before the call is counted: of calls in progress at the same time, either is before the other.
      const current = keep > 0 ? await readState(id) : undefined;
      return await countCall(pool, id, async (state, tx) => {
        const call = current && (await keepState(tx, id, current, keep));
        const counted = count(state, selection, call !== undefined);
        const { fault } = counted;
        const past =
          fault?.fault === "stale_read" && call !== undefined
            ? await findState(tx, id, call - behind(fault))
            : undefined;
        return { state: counted.state, result: fault && { fault, ...(past && { past }) } };
      });
    },

    /** Makes a call with a fault. `report` makes the answer of a call that is not made, or whose answer is lost. */
    async inject<T>(
      account: CallAccount,
      { fault, past }: Due,
      call: (past?: PastState) => Promise<T>,
      report: (problem: Problem) => T,
    ): Promise<T> {
      account.fault = fault.fault;
      switch (fault.fault) {
        case "rate_limited":
          return report({
            kind: "rate_limited",
            retryAfter: fault.retryAfter ?? RETRY_AFTER_DEFAULT,
            isPerUser: fault.perUser ?? false,
          });
        case "latency":
          await wait(fault.ms ?? 0);
          return await call();
        case "no_answer":
          await wait(fault.ms ?? NO_ANSWER_MS_DEFAULT);
          return report({ kind: "unavailable", status: 504 });
        case "lost_answer":
          await call();
          return report({ kind: "unavailable", status: 503 });
        case "stale_read":
          return await call(past);
        case "event_dropped":
        case "event_duplicated":
        case "event_delayed":
        case "event_disconnected":
          return await call(); // no call is selected by these
        default:
          return report({ kind: fault.fault });
      }
    },

    /** Ends the waiting of all calls. */
    stop(): void {
      isStopping = true;
      for (const resolve of waiting) resolve();
    },
  };
}

/** How many calls the state that a fault shows is behind. */
const behind = ({ fault, calls = STALE_CALLS_DEFAULT }: Fault) =>
  fault === "stale_read" ? calls : 0;

function isFor(fault: Fault, { service, by, names, isReading }: Selected): boolean {
  if (fault.service !== undefined && fault.service !== service) return false;
  if (fault.fault === "stale_read" && !isReading) return false;
  const pattern = fault[by];
  if (pattern !== undefined) return names.some((name) => selects(pattern, name));
  const { method, operation, tool, event } = fault;
  return [method, operation, tool, event].every((each) => each === undefined);
}

/** The fault that the delivery of an event gets, and the state after it. */
export const countDelivery = (state: FaultState, service: string, type: string) =>
  count(state, { by: "event", names: [type], service, isReading: false }, false);

/** Counts a call for each fault in turn, until one is due. `hasPast`: earlier states are known. */
function count(state: FaultState, selection: Selected, hasPast: boolean) {
  const { faults } = state;
  const [matched, injected] = [[...state.matched], [...state.injected]];
  for (const [index, fault] of faults.entries()) {
    if (!isFor(fault, selection) || (fault.fault === "stale_read" && !hasPast)) continue;
    const n = (matched[index] ?? 0) + 1;
    matched[index] = n;
    if (!isDue(fault.when ?? {}, n)) continue;
    injected[index] = (injected[index] ?? 0) + 1;
    return { state: { faults, matched, injected }, fault };
  }
  return { state: { faults, matched, injected }, fault: undefined };
}

/** Whether the call with this number, from 1, gets the fault. */
export function isDue({ after = 0, times = Infinity, rate, seed = 0 }: When, n: number): boolean {
  return rate === undefined ? n > after && n <= after + times : share(seed, n) < rate;
}

const SHARE_BYTES = 6;

/** A number from 0 up to 1 that follows from the seed and the number. */
function share(seed: number, n: number): number {
  const hash = createHash("sha256").update(`${seed} ${n}`).digest();
  return hash.readUIntBE(0, SHARE_BYTES) / 2 ** (8 * SHARE_BYTES);
}
