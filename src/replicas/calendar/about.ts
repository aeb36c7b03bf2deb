import type { About } from "~/replicas/about";
import { ACCOUNT_HOSTS, rootsOf } from "~/replicas/kit/google/paths";

export const about = {
  service: "calendar",
  alias: "google-calendar",
  api: { name: "the Google Calendar API", example: "/calendar/v3/users/me/calendarList" },
  roots: rootsOf("calendar", "v3"),
  hosts: { names: ["calendarmcp.googleapis.com", ...ACCOUNT_HOSTS] },
  secrets: [],
  tokenStyles: [],
  people: { name: "name", zone: "zone" },
  effects: {
    event_reminder: "an email reminder of an event was sent; a world with mail delivers it",
  },
} as const satisfies About;
