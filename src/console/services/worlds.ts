/** The view of an environment of each service, loaded when it is first shown. Apart, because most pages show none. */
import type { ComponentType } from "preact";
import type { Service } from "~/clients/typescript/schema";
import { lazy } from "~/console/lazy";
import type { WorldProps } from "~/console/services/service";

const TableWorld = lazy(async () => (await import("~/console/services/tables/world")).TableWorld);

const WORLDS: Readonly<Record<string, ComponentType<WorldProps>>> &
  Record<Service, ComponentType<WorldProps>> = {
  chat: lazy(async () => (await import("~/console/services/chat/world")).ChatWorld),
  tracker: lazy(async () => (await import("~/console/services/tracker/world")).TrackerWorld),
  mail: lazy(async () => (await import("~/console/services/mail/world")).MailWorld),
  calendar: lazy(async () => (await import("~/console/services/calendar/world")).CalendarWorld),
};

export const worldOf = (service: string): ComponentType<WorldProps> =>
  WORLDS[service] ?? TableWorld;
