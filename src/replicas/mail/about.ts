import type { About } from "~/replicas/about";
import { rootsOf } from "~/replicas/kit/google/paths";

export const about = {
  service: "mail",
  alias: "gmail",
  api: { name: "the Gmail API", example: "/gmail/v1/users/me/profile" },
  roots: rootsOf("gmail", "v1"),
  hosts: {
    domain: "googleapis.com",
    names: ["gmail.googleapis.com", "gmailmcp.googleapis.com"],
  },
  secrets: [{ hint: "ya29", form: /ya29\.[\w.-]+/ }],
  tokenStyles: [],
  effects: {},
} as const satisfies About;
