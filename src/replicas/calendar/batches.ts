/** Batches of calls. */
import { badRequest, CalendarError } from "~/replicas/calendar/errors";
import { batchesOf } from "~/replicas/kit/google/batch";
import { UNAVAILABLE } from "~/replicas/kit/google/faults";

export const batches = batchesOf("calendar/v3", {
  callsMax: 50,
  unavailable: () => new CalendarError("backendUnavailable", UNAVAILABLE).answer,
  refuse: badRequest,
});
