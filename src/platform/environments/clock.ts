/**
 * The clock of an environment, and the source of its ids.
 *
 * A running clock is an offset to real time. The others derive the time from the number of the call, which a statement
 * counts before the call: so does a seed, from which random bytes derive.
 */

import type { Pool } from "~/db/connect";
import type { SourceOf } from "~/db/opening";
import { ApiError } from "~/errors";
import type {
  Clock,
  ClockView,
  NewClock,
  Reading,
  Timing,
} from "~/platform/environments/clock-model";
import * as store from "~/platform/environments/clock-store";
import { LAST_SHOWN, MICROS, parseTime, REAL, type Source, seededBytes, TIMES } from "~/source";

const STEP_MS_DEFAULT = 1_000;

/** Starts a clock that shows this reading now. */
const startClock = (reading: Reading, calls: number): Clock => ({
  ...reading,
  since: Date.now(),
  call: calls,
});

/** The reading of a clock before the call after `calls`. */
export function readClock({ since, call, ...reading }: Clock, calls: number): Reading {
  switch (reading.mode) {
    case "running":
      return { ...reading, now: reading.now + Date.now() - since };
    case "step":
      return {
        ...reading,
        // A clock that reaches the last time stays there: later seconds do not fit in every column.
        now: Math.min(reading.now + (calls - call) * reading.stepMs, LAST_SHOWN),
      };
    default:
      return reading;
  }
}

/** Returns a time that a clock can show. Throws `invalid_request`. */
export function requireTime(text: string, field: string): number {
  const time = parseTime(text);
  if (time !== undefined) return time;
  throw new ApiError("invalid_request", `${field}: a time in ${TIMES} is needed`);
}

/** The reading that a new environment begins with; null: real time. Throws `invalid_request`. */
export function firstReading(wanted: NewClock | undefined, opensAt: Date | null): Reading | null {
  if (wanted === "real") return null;
  const { mode = "running", now, stepMs } = wanted ?? {};
  if (stepMs !== undefined && mode !== "step")
    throw new ApiError("invalid_request", "clock.stepMs: only the mode step has it");
  if (now === undefined && opensAt === null && mode === "running") return null;
  const shown =
    now === undefined ? (opensAt?.getTime() ?? Date.now()) : requireTime(now, "clock.now");
  return mode === "step"
    ? { mode, now: shown, stepMs: stepMs ?? STEP_MS_DEFAULT }
    : { mode, now: shown };
}

/** The timing of a new environment. */
export const firstTiming = (reading: Reading | null, seed: number | undefined): Timing => ({
  clock: reading && startClock(reading, 0),
  firstClock: reading,
  seed: seed === undefined ? null : String(seed),
  calls: 0,
});

/** The same timing with a clock that continues from an earlier reading. */
export const continued = (timing: Timing, reading: Reading | null, calls: number): Timing => ({
  ...timing,
  clock: reading && startClock(reading, calls),
  calls,
});

/** The timing after the clock was moved, which counts as a call. */
export function movedTo(timing: Timing, now: number): Timing {
  const calls = timing.calls + 1;
  const { clock } = timing;
  const reading: Reading = clock ? { ...readClock(clock, calls), now } : { mode: "running", now };
  return { ...timing, clock: startClock(reading, calls), calls };
}

/** By how many milliseconds a clock is ahead of real time; null: it moves only with calls. */
export function aheadOf({ clock }: Pick<Timing, "clock">): number | null {
  if (!clock) return 0;
  return clock.mode === "running" ? clock.now - clock.since : null;
}

/** When a clock shows this time, in real time; null: that depends on calls. Both in milliseconds since 1970. */
export function realTimeOf(timing: Pick<Timing, "clock">, time: number): number | null {
  const ahead = aheadOf(timing);
  return ahead === null ? null : time - ahead;
}

/** The time that an environment shows, in milliseconds. */
export const nowOf = ({ clock, calls }: Pick<Timing, "clock" | "calls">): number =>
  clock ? readClock(clock, calls).now : Date.now();

export function viewClock({ clock, calls }: Pick<Timing, "clock" | "calls">): ClockView {
  if (!clock) return { mode: "real", now: new Date().toISOString() };
  const { now, ...reading } = readClock(clock, calls);
  return { ...reading, now: new Date(now).toISOString() };
}

/** The source of one call, by its number from 1. */
function sourceOfCall({ clock, seed }: Timing, call: number): Source {
  const bytes = seed === null ? REAL.bytes : seededBytes(seed, call);
  if (!clock || clock.mode === "running") {
    const offset = offsetOf(clock);
    return {
      get micros() {
        return REAL.micros + offset;
      },
      bytes,
    };
  }
  const { now } = readClock(clock, call);
  // Moments of calls under a clock that stands still differ by microseconds, so that what happens later is later.
  const isStill = clock.mode === "frozen" || now === LAST_SHOWN;
  return { micros: now * MICROS + (isStill ? call : 0), bytes };
}

/**
 * The source of something between two calls that is no call. `number`: of its kind, from 1: with a seed, its random bytes
 * derive from it. `at`: when it happens, in milliseconds since 1970; now if omitted.
 */
export function sourceBetween(timing: Timing, number: number, at?: number): Source {
  const { calls, seed } = timing;
  const micros = at === undefined ? sourceOfCall(timing, calls).micros : at * MICROS;
  const bytes = seed === null ? REAL.bytes : seededBytes(`${seed} between`, number);
  return { micros, bytes, isBetween: true };
}

const offsetOf = (clock: Clock | null) => (clock ? (clock.now - clock.since) * MICROS : 0);

/**
 * The source of an environment's calls, and the time that it shows between them, null for real time. A clock in steps
 * shows that of the latest call here.
 */
export function openTiming(
  timing: Timing,
  environmentId: string,
): { readonly source: SourceOf; readonly now: (() => number) | null } {
  const { clock, seed } = timing;
  let latest = timing.calls;
  const now = clock && (() => readClock(clock, latest).now);
  if (!clock && seed === null) return { source: REAL, now };
  if (clock?.mode === "running" && seed === null) return { source: sourceOfCall(timing, 0), now };
  const source = async (lease: Pool) => {
    const call = await store.countCall(lease, environmentId);
    latest = Math.max(latest, call);
    return sourceOfCall(timing, call);
  };
  return { source, now };
}
