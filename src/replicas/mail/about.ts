import type { About } from "~/replicas/about";

export const about = {
  service: "mail",
  alias: "gmail",
  api: { name: "the Gmail API", example: "/gmail/v1/users/me/profile" },
  hosts: {
    domain: "googleapis.com",
    names: ["gmail.googleapis.com", "gmailmcp.googleapis.com"],
  },
  secrets: [{ hint: "ya29", form: /ya29\.[\w.-]+/ }],
  tokenStyles: [],
  effects: {},
} as const satisfies About;
