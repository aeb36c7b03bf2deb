/** Things that fall due as time passes, which is nobody's doing: the clock does them ahead of the call that finds them. */
import type { Session } from "~/db/session";
import type { Source } from "~/source";

type Due<Name extends string> = { fire(session: Session<Name>): Promise<unknown> };

/**
 * Thrown by a call that reads where something is due, before it has changed anything. `fire` does that in a session of
 * its own, and the call is made again at the same moment.
 */
export class DueFirst extends Error {
  readonly source: Source;
  readonly due: Due<string>;
  constructor(source: Source, due: Due<string>) {
    super("something is due before this call");
    this.source = source;
    this.due = due;
  }
}
