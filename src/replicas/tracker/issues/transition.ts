/** The effect of a state on the times of an issue. */

import type { Row } from "~/replicas/tracker/store/entities";

export type Times = {
  readonly startedAt: Date | null;
  readonly completedAt: Date | null;
  readonly canceledAt: Date | null;
  readonly startedTriageAt: Date | null;
  readonly triagedAt: Date | null;
};

export const NO_TIMES: Times = {
  startedAt: null,
  completedAt: null,
  canceledAt: null,
  startedTriageAt: null,
  triagedAt: null,
};

export const timesOf = ({
  startedAt,
  completedAt,
  canceledAt,
  startedTriageAt,
  triagedAt,
}: Row<"Issue">): Times => ({ startedAt, completedAt, canceledAt, startedTriageAt, triagedAt });

/** `from` is undefined for a new issue. A change within a type keeps the times. */
export function timesAfter(times: Times, from: string | undefined, to: string, now: Date): Times {
  if (from === to) return times;
  const left = from === "triage" ? { ...times, triagedAt: now } : times;
  switch (to) {
    case "triage":
      return { ...left, startedTriageAt: now };
    case "started":
      return { ...left, startedAt: times.startedAt ?? now, completedAt: null, canceledAt: null };
    case "completed":
      return { ...left, completedAt: now, canceledAt: null };
    case "canceled":
    case "duplicate":
      return { ...left, canceledAt: now, completedAt: null };
    default:
      return { ...left, startedAt: null, completedAt: null, canceledAt: null };
  }
}

export const isClosed = (type: string) => /^(completed|canceled|duplicate)$/.test(type);
