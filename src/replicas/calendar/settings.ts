/** Settings of a person, with the defaults of those that are not stored. */
import { COMPATIBILITY } from "~/replicas/calendar/compatibility";
import type { UserRow } from "~/replicas/calendar/store/users";

const DEFAULTS: Readonly<Record<string, string>> = {
  autoAddHangouts: "false",
  dateFieldOrder: "MDY",
  defaultEventLength: "60",
  format24HourTime: "false",
  hideInvitations: "false",
  hideWeekends: "false",
  locale: "en",
  remindOnRespondedEventsOnly: "false",
  showDeclinedEvents: "true",
  timezone: "Etc/GMT",
  useKeyboardShortcuts: "true",
  weekStart: "0",
};

type Settings = Pick<UserRow, "settings">;

export function valuesOf({ settings }: Settings): Readonly<Record<string, string>> {
  const { [COMPATIBILITY]: _, ...stored } = settings as Readonly<Record<string, string>>;
  return { ...DEFAULTS, ...stored };
}

export const settingOf = (user: Settings, name: string) => valuesOf(user)[name];
