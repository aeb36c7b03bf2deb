/** Is called as the calls of a request end, if rules of the environment name them. */
import type { Session } from "~/db/session";
import type { EndedCall } from "~/evaluation/calls";
import type { Settings } from "~/platform/environments/opening";

export type CallListener = {
  /** Lets the call set off what it does. Throws if it cannot be noted. Missing: no rule names a call. */
  onEnd?: (call: EndedCall) => Promise<void>;
  /** The beginning of the counterparts that the call was made with, as in their progress. */
  begun?: string | null;
  /** The number of the newest action that was pending when the call began. Missing: the call was not made. */
  newest?: string | null;
};

/** The work of a call, which first notes the counterparts that the environment has by then. */
export const heardBy =
  <T>(listener: CallListener, work: (session: Session) => Promise<T>) =>
  (session: Session, { begun }: Settings): Promise<T> => {
    listener.begun = begun;
    return work(session);
  };
