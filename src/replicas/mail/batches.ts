/** Batches of calls. */
import { batchesOf } from "~/replicas/kit/google/batch";
import { invalid, MailError } from "~/replicas/mail/errors";
import { UNAVAILABLE } from "~/replicas/mail/faults";

export const batches = batchesOf("gmail/v1", {
  callsMax: 100,
  unavailable: () => new MailError("backendUnavailable", UNAVAILABLE).answer,
  refuse: (reason) => invalid(`Failed to parse batch request, error: ${reason}`),
});
