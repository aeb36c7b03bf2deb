/** Every operation that a client can call. */
import { Type } from "@sinclair/typebox";
import { COMMON } from "~/replicas/kit/google/parameters";
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

export const ROUTER = createRouter(OPERATIONS.map(ofUser), refuse, COMMON);
