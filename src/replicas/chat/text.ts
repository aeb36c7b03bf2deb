/** What the service does to a message's text before it stores it. */

/** `<@U…>`, `<#C…|name>`, `<!here>`, `<!subteam^S…|@handle>`, `<!date^…>`, `<https://…|label>`, `<mailto:…>`. */
const CONSTRUCT =
  /<(?:@[UW][A-Z0-9]+|#[CDG][A-Z0-9]+|![a-z]+(?:\^[^<>|]*)?|(?:https?:\/\/|mailto:)[^<>|\s]+)(?:\|[^<>]*)?>/g;
const ENTITY = /&(?!amp;|lt;|gt;)/g;
/** Stops before what is punctuation of the sentence rather than part of the address. */
const BARE_URL = /(?:https?:\/\/|mailto:)[^\s<>|]*[^\s<>|.,;:!?'")\]}*_~]/g;

/**
 * The text as the API returns it: constructs kept, other `&`, `<` and `>` escaped, bare addresses wrapped, and a final
 * newline cut. `link` replaces further words outside constructs: channel names, handles of groups.
 */
export function normalizeText(
  text: string,
  link: (plain: string) => string = (plain) => plain,
): string {
  const trimmed = text.replace(/\n$/, "");
  let normalized = "";
  let from = 0;
  for (const match of trimmed.matchAll(CONSTRUCT)) {
    normalized += plainPart(trimmed.slice(from, match.index), link) + match[0];
    from = match.index + match[0].length;
  }
  return normalized + plainPart(trimmed.slice(from), link);
}

function plainPart(plain: string, link: (plain: string) => string): string {
  let normalized = "";
  let from = 0;
  for (const match of plain.matchAll(BARE_URL)) {
    normalized += `${link(escaped(plain.slice(from, match.index)))}<${match[0].replace(ENTITY, "&amp;")}>`;
    from = match.index + match[0].length;
  }
  return normalized + link(escaped(plain.slice(from)));
}

const escaped = (plain: string) =>
  plain.replace(ENTITY, "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
