/** Templates of paths: `users/{userId}/messages/{id}`, `messages/{id}:restore`, `messages/send`. */

/** The names of the parameters of a template. */
export type PathNames<Template extends string> =
  Template extends `${string}{${infer Name}}${infer Rest}` ? Name | PathNames<Rest> : never;

export type PathTemplate = {
  /** Texts by parameter, decoded; undefined for a path of another form. */
  readonly match: (path: string) => Readonly<Record<string, string>> | undefined;
  readonly names: readonly string[];
  /** The template without the names: two templates with the same form match the same paths. */
  readonly form: string;
  /** Sorts the more specific one of two templates first: a text goes before a parameter. */
  readonly rank: string;
};

const PARAMETER = /\{(\w+)\}/g;
const SEGMENT = /^(?:[\w.~$@-]+|\{\w+\}(?::[\w.~-]+)?)$/;

/** Throws on a template that cannot be read: a segment is a text, or a parameter that a suffix may follow. */
export function parseTemplate(template: string): PathTemplate {
  const segments = template.split("/");
  const unread = segments.find((segment) => !SEGMENT.test(segment));
  if (unread !== undefined) throw new Error(`${template} has a segment that is none: ${unread}`);
  const names = [...template.matchAll(PARAMETER)].map(([, name = ""]) => name);
  const texts = template.split(/\{\w+\}/).map((text) => RegExp.escape(text));
  const pattern = new RegExp(`^${texts.join("([^/]+)")}$`);
  return {
    match(path) {
      const found = pattern.exec(path);
      if (!found) return undefined;
      const decoded = found.slice(1).map(decode);
      if (decoded.includes(undefined)) return undefined;
      return Object.fromEntries(names.map((name, index) => [name, decoded[index] ?? ""]));
    },
    names,
    form: template.replace(PARAMETER, "{}"),
    rank: segments.map(rankOf).join(""),
  };
}

function rankOf(segment: string): string {
  if (!segment.startsWith("{")) return "0";
  return segment.endsWith("}") ? "2" : "1";
}

function decode(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}
