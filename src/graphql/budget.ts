/**
 * Limits the resources of one request. The cost of a document bounds it before it runs; this budget counts what is only
 * known at run time: rows of lists without pages, the size of the data read, and time.
 *
 * A plan completes everything that is available without a pause. After a number of fields, the rest waits for the
 * next turn of the event loop, so that a large response does not block other requests.
 */
import { DocumentRefused } from "~/graphql/errors";
import {
  DEADLINE_MS,
  FIELDS_MAX,
  FIELDS_PER_TURN,
  READ_LENGTH_MAX,
  READ_ROWS_MAX,
} from "~/graphql/limits";
import { sizeOf } from "~/input/json";

export type Budget = ReturnType<typeof createBudget>;

/** A budget for a second attempt at the same request: nothing is spent, and the time goes on. */
export const renewed = ({ time }: Budget): Budget => createBudget(...time);

export function createBudget(
  deadlineMs = DEADLINE_MS,
  deadline: number = performance.now() + deadlineMs,
) {
  const waiting: { readonly fields: number; readonly go: () => void }[] = [];
  const { promise: givenUp, reject } = Promise.withResolvers<never>();
  givenUp.catch(() => undefined);
  const never = new Promise<never>(() => undefined);
  let isOver = false;
  let fields = 0;
  let rows = 0;
  let length = 0;
  let room = FIELDS_PER_TURN;

  function giveUp(problem: string): void {
    if (isOver) return;
    isOver = true;
    waiting.length = 0;
    reject(new DocumentRefused(problem));
  }

  function nextTurn(): void {
    room = FIELDS_PER_TURN;
    while (room > 0) {
      const next = waiting.shift();
      if (!next) return;
      room -= next.fields;
      next.go();
    }
    setImmediate(nextTurn);
  }

  return {
    /** The milliseconds from the start of the request to its deadline, and that moment. */
    time: [deadlineMs, deadline] as const,

    /** Rejects with DocumentRefused as soon as a limit is reached. */
    givenUp,

    /**
     * Never settles. Work that goes on after a request was aborted ends here: one error for each unanswered field could
     * take seconds to create.
     */
    never,

    /** True when the request was aborted, or must be because its time is up. */
    isOver(): boolean {
      if (performance.now() > deadline)
        giveUp(`The request took longer than ${deadlineMs / 1000} s: request less data.`);
      return isOver;
    },

    /** Counts fields before they are answered. The caller awaits the promise, if there is one, before it goes on. */
    spend(count: number): Promise<void> | undefined {
      fields += count;
      if (fields > FIELDS_MAX)
        giveUp(`The query is too complex: it returns more than ${FIELDS_MAX} fields.`);
      if (this.isOver()) return never;
      if (room > 0 && waiting.length === 0) {
        room -= count;
        return undefined;
      }
      return new Promise((go) => {
        if (waiting.push({ fields: count, go }) === 1) setImmediate(nextTurn);
      });
    },

    /** Counts rows that were read. */
    read(found: readonly object[]): void {
      rows += found.length;
      if (rows > READ_ROWS_MAX)
        giveUp(`The query is too complex: it reads more than ${READ_ROWS_MAX} objects.`);
      length += sizeOf(found, READ_LENGTH_MAX - length);
      if (length > READ_LENGTH_MAX)
        giveUp(`The query reads more than ${READ_LENGTH_MAX} characters: request smaller pages.`);
    },
  };
}
