/** Settings and error codes, from their tables. */
import { SETTINGS } from "~/config";
import { code, page, table } from "~/docs/reference/markdown";
import { type ErrorCode, MEANING, STATUS } from "~/errors";

export const settingsPage = () =>
  page(
    "# Settings",
    "Set as environment variables. All problems are reported together at start, with exit code 78. If the database cannot be used, the exit code is 69.",
    table(
      ["Setting", "Default", "Format", "Meaning"],
      Object.entries(SETTINGS).map(([name, { fallback, format, help }]) => [
        code(name),
        fallback === undefined ? "required" : fallback && code(fallback),
        format,
        help,
      ]),
    ),
  );

export const errorsPage = () =>
  page(
    "# Error codes",
    'An error of the platform has the body `{"ok": false, "error": "<code>", "detail": "<sentence>"}`. Programs rely on the code; the detail is for people. An exceeded limit is the one exception: status 429 with `{"valid": false, "reason": …, "limit": …, "current": …}`. Calls of a service get errors in the form of that service.',
    table(
      ["Code", "Status", "Meaning"],
      (Object.keys(STATUS) as ErrorCode[]).map((name) => [
        code(name),
        String(STATUS[name]),
        MEANING[name],
      ]),
    ),
  );
