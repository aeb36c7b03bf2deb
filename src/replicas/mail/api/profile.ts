import { requireMailbox } from "~/replicas/mail/calls";
import { invalid } from "~/replicas/mail/errors";
import { WATCH_MS } from "~/replicas/mail/notifications";
import { answersOf, NO_CONTENT, operation } from "~/replicas/mail/operation";
import { currentHistoryId } from "~/replicas/mail/store/history";
import { updateSetting, type Watch } from "~/replicas/mail/store/mailboxes";
import { countMessages } from "~/replicas/mail/store/messages";
import { Profile, WatchAnswer, WatchBody } from "~/replicas/mail/views";
import { millisOf } from "~/source";

const TOPIC = /^projects\/([^/]+)\/topics\/[^/]+$/;

export const profile = [
  operation("getProfile", "GET", "profile", {
    summary: "Show the own mailbox",
    description: "Its address, and the numbers of its messages and threads.",
    answers: answersOf(Profile),
    async handle(_, { session, mailbox }) {
      const { messagesTotal, threadsTotal } = await countMessages(session, mailbox);
      const historyId = await currentHistoryId(session, mailbox);
      return { emailAddress: mailbox, messagesTotal, threadsTotal, historyId };
    },
  }),
  operation("watch", "POST", "watch", {
    summary: "Ask for notifications",
    description:
      "Of changes of the mailbox. Apps of the environment that are subscriptions receive them; the topic itself is not looked at.",
    body: WatchBody,
    answers: answersOf(WatchAnswer),
    async handle({ body }, call) {
      const { session, mailbox } = call;
      const { topicName = "" } = body;
      if (!TOPIC.test(topicName))
        throw invalid("Invalid topicName does not match projects/<project>/topics/*");
      const now = millisOf(session.source);
      const known = (await requireMailbox(call)).watch as Watch | null;
      if (known && known.topicName !== topicName && Number(known.expiration) > now)
        throw invalid(
          "Only one user push notification client allowed per developer (call /stop then try again)",
        );
      const expiration = `${now + WATCH_MS}`;
      const historyId = await currentHistoryId(session, mailbox);
      await updateSetting(session, mailbox, "watch", { ...body, historyId, expiration });
      return { historyId, expiration };
    },
  }),
  operation("stop", "POST", "stop", {
    summary: "Stop notifications",
    description: "The watch is deleted.",
    answers: NO_CONTENT,
    handle: (_, { session, mailbox }) => updateSetting(session, mailbox, "watch", null),
  }),
];
