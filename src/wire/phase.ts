type Phase = keyof typeof FOLLOWING;

/** The phases of a connection, and those that may follow each. */
const FOLLOWING = {
  /** Between two requests, or in a head. */
  resting: ["answering", "last", "closed", "gone"],
  /** A request is being answered; its body may still arrive. */
  answering: ["resting", "discarding", "last", "framing", "closed", "gone"],
  /** A request was answered before the end of its body. */
  discarding: ["resting", "closed", "gone"],
  /** The last request, valid or not, is being answered: nothing more is read. */
  last: ["closed", "gone"],
  /** After an upgrade. */
  framing: ["closed", "gone"],
  /** Nothing more is sent. */
  closed: ["gone"],
  /** The client is gone. */
  gone: [],
} as const;

const READING: ReadonlySet<Phase> = new Set(["resting", "answering", "discarding"] as const);

export function createPhase() {
  let phase: Phase = "resting";
  return {
    is: (wanted: Phase): boolean => phase === wanted,
    /** Requests are read. */
    isReading: (): boolean => READING.has(phase),
    /** Returns false if the connection is past that phase. */
    enter(next: Phase): boolean {
      const following: readonly Phase[] = FOLLOWING[phase];
      if (!following.includes(next)) return false;
      phase = next;
      return true;
    },
  };
}
