/** The part of a text that full-text search reads. */
import type { Fragment, Sql } from "~/db/connect";

/**
 * The words of a text, with their positions, may take 1 MB: Postgres rejects the statement beyond that. A hyphenated
 * word counts as a whole and by its parts, at most four bytes for a byte of text, and eight for a character.
 */
const BYTES_MAX = 250_000;
const CHARACTERS_MAX = 100_000;

/** A text as a whole, or the beginning of one that has too many words. */
export const searchable = ({ sql }: { readonly sql: Sql }, text: Fragment): Fragment =>
  sql`case when octet_length(${text}) > ${BYTES_MAX} then left(${text}, ${CHARACTERS_MAX}) else ${text} end`;
