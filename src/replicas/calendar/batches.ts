/** Batches of calls. */
import { badRequest, CalendarError } from "~/replicas/calendar/errors";
import { UNAVAILABLE } from "~/replicas/calendar/faults";
import { batchesOf } from "~/replicas/kit/google/batch";

export const batches = batchesOf("calendar/v3", {
  callsMax: 50,
  unavailable: () => new CalendarError("backendUnavailable", UNAVAILABLE).answer,
  refuse: badRequest,
});
