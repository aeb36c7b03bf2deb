/** Addresses of the console, which open what a command names. */
import type { Client } from "~/commands/client";
import { ROOT } from "~/console/assets";

export const consoleOf = (client: Client, page: "environments" | "runs" | "suites", id: unknown) =>
  `${client.url}${ROOT}/${page}/${encodeURIComponent(String(id))}`;
