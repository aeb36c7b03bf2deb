/** Every operation that a client can call. */
import { Type } from "@sinclair/typebox";
import { createRouter, type Operation } from "~/replicas/kit/router";
import { drafts } from "~/replicas/mail/api/drafts";
import { filters } from "~/replicas/mail/api/filters";
import { history } from "~/replicas/mail/api/history";
import { labels } from "~/replicas/mail/api/labels";
import { messages } from "~/replicas/mail/api/messages";
import { profile } from "~/replicas/mail/api/profile";
import { restrictedCalls } from "~/replicas/mail/api/restricted";
import { settings } from "~/replicas/mail/api/settings";
import { threads } from "~/replicas/mail/api/threads";
import { delegationDenied, refuse } from "~/replicas/mail/errors";
import { type MailCall, userId } from "~/replicas/mail/operation";

const OPERATIONS = [
  ...[...profile, ...messages, ...threads, ...labels, ...drafts, ...history],
  ...[...settings, ...filters, ...restrictedCalls],
];

/** Every path begins with the user whose mailbox it is: only the caller's own. */
const ofUser = (of: Operation<MailCall>): Operation<MailCall> => ({
  ...of,
  template: `gmail/v1/users/{userId}/${of.template}`,
  path: Type.Object({ userId, ...of.path.properties }),
  async handle(args, call) {
    const { userId: user } = args.path as { readonly userId: string };
    if (user !== "me" && user.toLowerCase() !== call.mailbox) throw delegationDenied(user);
    return await of.handle(args, call);
  },
});

const text = (description: string) => Type.Optional(Type.String({ description }));

/** Query parameters of every call. */
const COMMON = {
  alt: Type.Optional(
    Type.Union([Type.Literal("json"), Type.Literal("media"), Type.Literal("proto")], {
      description: "The form of the answer: always JSON",
    }),
  ),
  fields: text("The fields of the answer: `id,payload/headers`"),
  prettyPrint: Type.Optional(Type.Boolean({ description: "Indent the answer", default: true })),
  key: text("Ignored"),
  access_token: text("Ignored"),
  oauth_token: text("Ignored"),
  callback: text("Ignored"),
  quotaUser: text("Ignored"),
  uploadType: text("How a message is uploaded: media or multipart"),
  upload_protocol: text("Ignored"),
  "$.xgafv": text("Ignored"),
};

export const ROUTER = createRouter(OPERATIONS.map(ofUser), refuse, COMMON);
