/** The users that a text mentions. */
import type { Optional } from "~/replicas/tracker/change";
import type { IssueLookups } from "~/replicas/tracker/store/issues/issue-lookups";

/** The display names that a text mentions, as `@name` or by the URL of a profile, in lower case. */
export const mentionsIn = (text: Optional<string>): string[] =>
  [...(text ?? "").matchAll(/(?<![\w.@])@([\w.-]*\w)|\/profiles\/([\w.-]*\w)/g)].map(
    ([, name, profile]) => (name ?? profile ?? "").toLowerCase(),
  );

/** The ids of the mentioned users. */
export function mentionedIn({ users }: IssueLookups, text: Optional<string>): string[] {
  const names = mentionsIn(text);
  return users
    .filter(({ displayName }) => names.includes(displayName.toLowerCase()))
    .map(({ id }) => id);
}
