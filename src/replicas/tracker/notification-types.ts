/** Types of notifications, and the channels by which they reach a user. */
import { capitalized } from "~/capitalized";
import type { RowObject } from "~/graphql/page";
import { words } from "~/graphql/words";
import { derivedId } from "~/replicas/tracker/ids";

const CATEGORIES: readonly (readonly [RegExp, string])[] = [
  [/Assigned|Unassigned/, "assignments"],
  [/Mention/, "mentions"],
  [/Reaction/, "reactions"],
  [/Comment|Thread/, "commentsAndReplies"],
  [/Status|Priority|Block|Unblocked/, "statusChanges"],
  [/Reminder|Due/, "reminders"],
  [/Update/, "postsAndUpdates"],
  [/^document/, "documentChanges"],
];
export const categoryOf = (type: string) =>
  CATEGORIES.find(([form]) => form.test(type))?.[1] ?? "subscriptions";

/** `issueAssignedToYou` → `Issue assigned to you`. */
export const sentence = (type: string) => capitalized(words(type));

/** The title of what a notification is about. */
export const titleOf = ({ number, identifier, title, name }: RowObject): string => {
  const named = String(title ?? name ?? "");
  return number == null ? named : `${identifier} ${named}`;
};

type Channels = Readonly<Record<"desktop" | "email" | "mobile" | "slack", boolean>>;

/** Those of a user without settings. The service begins with email on: here each user turns it on. */
const CHANNELS: Channels = { desktop: true, email: false, mobile: true, slack: false };

/** Of a user's settings, what was changed. */
export type Preferences = {
  readonly notificationChannelPreferences?: Partial<Channels>;
  readonly notificationCategoryPreferences?: Readonly<Record<string, Partial<Channels>>>;
};

export const channelsOf = ({ notificationChannelPreferences }: Preferences): Channels => ({
  ...CHANNELS,
  ...notificationChannelPreferences,
});

/** The channels for the notifications of a category. */
export const channelsFor = (preferences: Preferences, category: string): Channels => ({
  ...channelsOf(preferences),
  ...preferences.notificationCategoryPreferences?.[category],
});

/** The id of a user's settings. */
export const settingsIdOf = (userId: string) => derivedId("settings", userId);
