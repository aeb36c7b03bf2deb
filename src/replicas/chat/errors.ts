import { dateOf, type Source, secondsOf } from "~/source";

/** An error in the service's form: HTTP 200, `ok: false` and a code. */
export class ChatError extends Error {
  override readonly name = "ChatError";
  readonly code: string;
  /** Additional fields: `errors`, `needed`, `response_metadata` … */
  readonly fields: Readonly<Record<string, unknown>>;

  constructor(code: string, fields: Readonly<Record<string, unknown>> = {}) {
    super(code);
    this.code = code;
    this.fields = fields;
  }
}

/** `invalid_arguments` with the lines that the client logs: `missing required field: channel`. */
export const invalidArguments = (...problems: readonly string[]) =>
  new ChatError("invalid_arguments", {
    response_metadata: { messages: problems.map((problem) => `[ERROR] ${problem}`) },
  });

/** A rejected time, with the time in the environment: the caller's clock may show another. */
export const rejectedTime = (code: string, source: Source) =>
  new ChatError(code, {
    response_metadata: {
      messages: [
        `[ERROR] the workspace's time is ${dateOf(source).toISOString()} (${secondsOf(source)})`,
      ],
    },
  });
