/** Settings of users. Nothing is stored before the first change. */

import type { RowObject } from "~/graphql/page";
import type { Resolvers } from "~/graphql/resolvers";
import { changeRow, createRow, type Given, type Target } from "~/replicas/tracker/change";
import type { Context } from "~/replicas/tracker/context";
import { forbidden } from "~/replicas/tracker/errors";
import {
  channelsFor,
  channelsOf,
  type Preferences,
  settingsIdOf,
} from "~/replicas/tracker/notification-types";
import type { Values } from "~/replicas/tracker/store/entities";
import { having } from "~/replicas/tracker/store/lookups";

const CATEGORIES = [
  "appsAndIntegrations",
  "assignments",
  "billing",
  "commentsAndReplies",
  "customers",
  "documentChanges",
  "feed",
  "loops",
  "mentions",
  "postsAndUpdates",
  "reactions",
  "reminders",
  "reviews",
  "statusChanges",
  "subscriptions",
  "system",
  "triage",
] as const;

/** The viewer's settings; defaults have the age of the user. */
async function settingsOf({ read, viewer }: Context): Promise<{ row: RowObject; kept: boolean }> {
  const kept = await read.find("UserSettings", having({ userId: viewer.id }));
  if (kept) return { row: kept, kept: true };
  const user = await read.one("User", viewer.id);
  const times = { createdAt: user?.["createdAt"], updatedAt: user?.["updatedAt"] };
  const id = settingsIdOf(viewer.id);
  return { row: { id, userId: viewer.id, ...times }, kept: false };
}

async function change(context: Context, changes: Values): Promise<RowObject> {
  const { row, kept } = await settingsOf(context);
  if (kept) return await changeRow(context, "UserSettings", row, changes);
  return await createRow(context, "UserSettings", {
    id: row.id,
    userId: row["userId"],
    ...changes,
  });
}

const otherwise = (name: string, value: unknown) => (row: RowObject) => row[name] ?? value;

const mergedCategories = (row: RowObject, changes: Values): Values => {
  const known = (row["notificationCategoryPreferences"] ?? {}) as Readonly<Record<string, Values>>;
  const changed = Object.entries(changes).map(([name, value]) => [
    name,
    { ...known[name], ...(value as Values) },
  ]);
  return { ...known, ...Object.fromEntries(changed) };
};

type Flags = Readonly<Record<string, number>>;
const flagsOf = ({ flags }: RowObject): Flags => (flags ?? {}) as Flags;

const FLAG_STEPS: Readonly<Record<string, (value: number) => number>> = {
  incr: (value) => value + 1,
  decr: (value) => Math.max(0, value - 1),
  clear: () => 0,
  lock: (value) => value,
};

export const userSettings: Resolvers<Context> = {
  UserSettings: {
    autoAssignToSelf: otherwise("autoAssignToSelf", false),
    notificationCategoryPreferences: (row: Preferences) =>
      Object.fromEntries(CATEGORIES.map((name) => [name, channelsFor(row, name)])),
    notificationChannelPreferences: channelsOf,
    notificationDeliveryPreferences: otherwise("notificationDeliveryPreferences", {}),
    showCodeBlockLineNumbers: otherwise("showCodeBlockLineNumbers", true),
    showFullUserNames: otherwise("showFullUserNames", false),
    subscribedToChangelog: otherwise("subscribedToChangelog", true),
    subscribedToDPA: otherwise("subscribedToDPA", false),
    subscribedToInviteAccepted: otherwise("subscribedToInviteAccepted", true),
    subscribedToPrivacyLegalUpdates: otherwise("subscribedToPrivacyLegalUpdates", false),
    theme: () => ({ preset: "system" }),
    unsubscribedFrom: () => [],
  },
  Query: {
    userSettings: async (_source, _args, context) => (await settingsOf(context)).row,
  },
  Mutation: {
    userSettingsUpdate: async (_source, { id, input }: Target & Given<Values>, context) => {
      const { row } = await settingsOf(context);
      if (id !== row.id && id !== context.viewer.id)
        throw forbidden("Settings can only be changed by their owner");
      const {
        notificationChannelPreferences: channels,
        notificationCategoryPreferences,
        settings,
      } = input as Readonly<Record<string, Values | undefined>>;
      const changed = await change(context, {
        ...input,
        ...settings,
        settings: undefined,
        ...(channels && {
          notificationChannelPreferences: { ...channelsOf(row as Preferences), ...channels },
        }),
        ...(notificationCategoryPreferences && {
          notificationCategoryPreferences: mergedCategories(row, notificationCategoryPreferences),
        }),
      });
      return { userSettings: changed };
    },

    notificationCategoryChannelSubscriptionUpdate: async (
      _source,
      { category, channel, subscribe }: { category: string; channel: string; subscribe: boolean },
      context,
    ) => {
      const { row } = await settingsOf(context);
      const changes = { [category]: { [channel]: subscribe } };
      return {
        userSettings: await change(context, {
          notificationCategoryPreferences: mergedCategories(row, changes),
        }),
      };
    },

    userFlagUpdate: async (
      _source,
      { flag, operation }: { flag: string; operation: string },
      context,
    ) => {
      const flags = flagsOf((await settingsOf(context)).row);
      const value = (FLAG_STEPS[operation] ?? ((same: number) => same))(flags[flag] ?? 0);
      await change(context, { flags: { ...flags, [flag]: value } });
      return { flag, value };
    },

    userSettingsFlagsReset: async (
      _source,
      { flags }: { flags?: readonly string[] | null },
      context,
    ) => {
      const known = flagsOf((await settingsOf(context)).row);
      const kept = Object.entries(known).filter(([name]) => flags && !flags.includes(name));
      await change(context, { flags: Object.fromEntries(kept) });
      return {};
    },
  },
};
