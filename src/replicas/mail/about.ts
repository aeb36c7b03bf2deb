import type { About } from "~/replicas/about";
import { ACCOUNT_HOSTS, rootsOf } from "~/replicas/kit/google/paths";

export const about = {
  service: "mail",
  alias: "gmail",
  api: { name: "the Gmail API", example: "/gmail/v1/users/me/profile" },
  roots: rootsOf("gmail", "v1"),
  hosts: { names: ["gmail.googleapis.com", "gmailmcp.googleapis.com", ...ACCOUNT_HOSTS] },
  secrets: [{ hint: "ya29", form: /ya29\.[\w.-]+/ }],
  tokenStyles: [],
  people: { name: "name" },
  effects: {},
} as const satisfies About;
