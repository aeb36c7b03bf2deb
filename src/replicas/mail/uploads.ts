/** Messages that arrive in several requests. */
import { resumableUploads } from "~/replicas/kit/google/resumable";
import { ROUTER } from "~/replicas/mail/api/index";
import { invalid, MailError, notFound, tooLarge } from "~/replicas/mail/errors";
import { RAW_MAX } from "~/replicas/mail/raw-argument";

export const uploads = resumableUploads({
  router: ROUTER,
  prefix: "upload/",
  bytesMax: RAW_MAX,
  type: "message/rfc822",
  errors: {
    invalid,
    tooLarge,
    gone: notFound,
    tooMany: () => new MailError("rateLimitExceeded", "Too many concurrent requests for user"),
    busy: () => new MailError("backendUnavailable", "The service is currently unavailable."),
  },
});
