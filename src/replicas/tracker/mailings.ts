/** Notifications by mail, for users whose settings ask for them. */
import type { OutgoingMail } from "~/outgoing";
import {
  categoryOf,
  channelsFor,
  sentence,
  settingsIdOf,
  titleOf,
} from "~/replicas/tracker/notification-types";
import { listMailings, type Mailing } from "~/replicas/tracker/store/mailings";
import type { TrackerSession } from "~/replicas/tracker/store/tables";
import { subjectUrl } from "~/replicas/tracker/urls";

const SENDER = { email: "notifications@linear.app", name: "Linear" };

/** After the name of the actor. */
const DEEDS: Readonly<Record<string, string>> = {
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

/** New notifications, with the user of each. One that is snoozed is not mailed. */
export async function mailNotifications(
  session: TrackerSession,
  rows: readonly { readonly id: string; readonly userId: string }[],
): Promise<void> {
  if (!session.hasMailboxes || rows.length === 0) return;
  const ids = rows.map(({ id, userId }) => ({ id, settingsId: settingsIdOf(userId) }));
  for (const mailing of await listMailings(session, ids))
    if (channelsFor(mailing.preferences, categoryOf(mailing.type)).email)
      await session.send(mailOf(mailing));
}

function mailOf(mailing: Mailing): OutgoingMail {
  const { type, email, name, actor, urlKey, subjectType, subject, body } = mailing;
  const deed = DEEDS[type];
  const happened = actor !== null && deed !== undefined ? `${actor} ${deed}` : sentence(type);
  const url = subjectUrl({ workspace: { urlKey } }, subjectType, subject);
  return {
    from: SENDER,
    to: [{ email, name }],
    subject: titleOf(subject),
    text: [`${happened}.`, ...(body === null ? [] : [body]), url].join("\n\n"),
    headers: { "Auto-Submitted": "auto-generated" },
  };
}
