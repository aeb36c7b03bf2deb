/** The discovery document. */
import { documentsOf } from "~/replicas/kit/google/discovery";
import { ROUTER } from "~/replicas/mail/api/index";
import { SERVICE_BODY_MAX } from "~/wire/limits";

const AUTH = "https://www.googleapis.com/auth/gmail";

export const documents = documentsOf(
  {
    ...{ name: "gmail", version: "v1", title: "Gmail API", prefix: "Mail", below: "users" },
    scopes: [
      "https://mail.google.com/",
      ...["compose", "insert", "labels", "metadata", "modify", "readonly", "send"].map(
        (scope) => `${AUTH}.${scope}`,
      ),
      ...["basic", "sharing"].map((scope) => `${AUTH}.settings.${scope}`),
    ],
    media: { accept: ["message/*"], maxSize: SERVICE_BODY_MAX },
  },
  ROUTER,
);
