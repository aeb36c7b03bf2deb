/** Is called as the calls of a request end, if rules of the environment name them. */
import type { EndedCall } from "~/evaluation/calls";

export type CallListener = {
  /** Lets the call set off what it does. Throws if it cannot be noted. Missing: no rule names a call. */
  onEnd?: (call: EndedCall) => Promise<void>;
  /** The number of the newest action that was pending when the call began. Missing: the call was not made. */
  newest?: string | null;
};
