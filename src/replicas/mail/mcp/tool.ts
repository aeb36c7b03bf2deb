/** The tools of the service's own MCP server, as their files declare them. */
import type { GoogleTools } from "~/replicas/kit/google/tools";
import type { MailCall } from "~/replicas/mail/operation";

export type Tools = GoogleTools<MailCall>;

export type File = {
  /** In base64. */
  readonly content: string;
  readonly filename?: string;
  readonly mimeType?: string;
  readonly inline?: boolean;
};

/** The fields of a new message. Undefined ones were not given. */
export type Fields = {
  readonly to?: readonly string[];
  readonly cc?: readonly string[];
  readonly bcc?: readonly string[];
  readonly subject?: string;
  readonly body?: string;
  readonly htmlBody?: string;
  readonly attachments?: readonly File[];
};

/** The answer of a tool that has nothing to return. */
export const DONE = {};
