/** Credentials of calls to Google's APIs. */
import type { NotAuthed } from "~/errors";
import { errorAnswer } from "~/replicas/kit/google/errors";
import type { HttpAnswer, HttpRequest } from "~/wire/message";

const EXPECTED =
  "Expected OAuth 2 access token, login cookie or other valid authentication credential. See https://developers.google.com/identity/sign-in/web/devconsole-project.";

const bodyOf = (text: string, message: string, reason: string) => ({
  error: {
    code: 401,
    message: `${text} ${EXPECTED}`,
    errors: [
      { message, domain: "global", reason, location: "Authorization", locationType: "header" },
    ],
    status: "UNAUTHENTICATED",
  },
});

const MISSING = bodyOf(
  "Request is missing required authentication credential.",
  "Login Required.",
  "required",
);
export const CREDENTIAL_INVALID = bodyOf(
  "Request had invalid authentication credentials.",
  "Invalid Credentials",
  "authError",
);

/** The answers to calls without a valid credential. `indent`: see errorAnswer. */
export const denialOf =
  (indent: number) =>
  (reason: NotAuthed["reason"]): HttpAnswer | undefined =>
    reason === "remote"
      ? undefined
      : errorAnswer(401, reason === "missing" ? MISSING : CREDENTIAL_INVALID, indent);

/** The token in the query of a call. */
export async function tokenOf({
  request,
}: {
  readonly request: HttpRequest;
}): Promise<string | undefined> {
  if (!request.hasQuery) return undefined;
  const { searchParams } = request.url;
  return searchParams.get("access_token") ?? searchParams.get("oauth_token") ?? undefined;
}
