/** The discovery document. */
import { documentsOf } from "~/replicas/kit/google/discovery";
import { ROUTER } from "~/replicas/mail/api/index";
import { RAW_MAX } from "~/replicas/mail/raw-argument";

const AUTH = "https://www.googleapis.com/auth/gmail";
export const SCOPES = [
  "https://mail.google.com/",
  ...["compose", "insert", "labels", "metadata", "modify", "readonly", "send"].map(
    (scope) => `${AUTH}.${scope}`,
  ),
  ...["basic", "sharing"].map((scope) => `${AUTH}.settings.${scope}`),
];

export const documents = documentsOf(
  {
    ...{ name: "gmail", version: "v1", title: "Gmail API", prefix: "Mail", below: "users" },
    scopes: SCOPES,
    media: { accept: ["message/*"], maxSize: RAW_MAX },
  },
  ROUTER,
);
