/** Notifications by mail, for users whose settings ask for them. */
import type { OutgoingMail } from "~/outgoing";
import {
  categoryOf,
  channelsFor,
  sentence,
  settingsIdOf,
  titleOf,
} from "~/replicas/tracker/notification-types";
import {
  listNotificationMails,
  type NotificationMail,
} from "~/replicas/tracker/store/notification-mails";
import type { TrackerSession } from "~/replicas/tracker/store/tables";
import { subjectUrl } from "~/replicas/tracker/urls";

const SENDER = { email: "notifications@linear.app", name: "Linear" };

/** After the name of the actor. */
const ACTIONS: Readonly<Record<string, string>> = {
  issueAssignedToYou: "assigned the issue to you",
  issueCommentMention: "mentioned you in a comment",
  issueCommentReaction: "reacted to your comment",
  issueEmojiReaction: "reacted to the issue",
  issueMention: "mentioned you in the issue",
  issueNewComment: "commented on the issue",
  issuePriorityUrgent: "marked the issue as urgent",
  issueStatusChangedDone: "completed the issue",
  issueUnassignedFromYou: "unassigned the issue from you",
  projectAddedAsLead: "made you the lead of the project",
  projectAddedAsMember: "added you to the project",
  projectUpdateCreated: "posted an update of the project",
  projectUpdatePrompt: "asks you for an update of the project",
  initiativeUpdateCreated: "posted an update of the initiative",
  initiativeUpdatePrompt: "asks you for an update of the initiative",
};

type Inserted = { readonly id: string; readonly userId: string };

/** Read in one statement, with their texts. */
const BATCH_MAX = 100;

/** Mails new notifications. A snoozed one is not mailed. */
export async function mailNotifications(
  session: TrackerSession,
  inserted: readonly Inserted[],
): Promise<void> {
  if (!session.hasMailboxes) return;
  const ids = inserted.map(({ id, userId }) => ({ id, settingsId: settingsIdOf(userId) }));
  for (let at = 0; at < ids.length; at += BATCH_MAX)
    for (const mail of await listNotificationMails(session, ids.slice(at, at + BATCH_MAX)))
      if (channelsFor(mail.preferences, categoryOf(mail.type)).email)
        await session.send(mailOf(mail));
}

function mailOf(mail: NotificationMail): OutgoingMail {
  const { type, email, name, actor, urlKey, subjectType, subject, body } = mail;
  const action = ACTIONS[type];
  const happened = actor !== null && action !== undefined ? `${actor} ${action}` : sentence(type);
  const url = subjectUrl({ workspace: { urlKey } }, subjectType, subject);
  return {
    from: SENDER,
    to: [{ email, name }],
    subject: titleOf(subject),
    text: [`${happened}.`, ...(body === null ? [] : [body]), url].join("\n\n"),
    headers: { "Auto-Submitted": "auto-generated" },
  };
}
