/** The times at which something was started, completed or canceled, by the type of its status. */

type Moment = Date | null;
type Times = {
  readonly startedAt?: Moment;
  readonly completedAt?: Moment;
  readonly canceledAt?: Moment;
};

/** `row`: before the change; undefined for a new row. */
export function timesOf(type: string, now: Date, row?: Required<Times>): Times {
  switch (type) {
    case "started":
      return { startedAt: row?.["startedAt"] ?? now, completedAt: null, canceledAt: null };
    case "paused":
      return { completedAt: null, canceledAt: null };
    case "completed":
      return { completedAt: row?.["completedAt"] ?? now, canceledAt: null };
    case "canceled":
      return { canceledAt: row?.["canceledAt"] ?? now, completedAt: null };
    default:
      return { startedAt: null, completedAt: null, canceledAt: null };
  }
}
