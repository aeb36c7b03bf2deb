import type { About } from "~/replicas/about";
import { rootsOf } from "~/replicas/kit/google/paths";

export const about = {
  service: "calendar",
  alias: "google-calendar",
  api: { name: "the Google Calendar API", example: "/calendar/v3/users/me/calendarList" },
  roots: rootsOf("calendar", "v3"),
  hosts: {
    domain: "googleapis.com",
    names: ["www.googleapis.com", "calendarmcp.googleapis.com"],
  },
  secrets: [],
  tokenStyles: [],
  effects: {},
} as const satisfies About;
