/** Batches of calls. */
import { batchesOf } from "~/replicas/kit/google/batch";
import { UNAVAILABLE } from "~/replicas/kit/google/faults";
import { invalid, MailError } from "~/replicas/mail/errors";

export const batches = batchesOf("gmail/v1", {
  callsMax: 100,
  unavailable: () => new MailError("backendUnavailable", UNAVAILABLE).answer,
  refuse: (reason) => invalid(`Failed to parse batch request, error: ${reason}`),
});
