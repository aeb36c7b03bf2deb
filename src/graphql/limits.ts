/** Limits of one request. Each leaves room for every document that the official clients send. */

/** Characters of a document: enough for a long text inside it. */
export const DOCUMENT_LENGTH_MAX = 512 * 1024;
export const TOKENS_MAX = 10_000;
/** Nested brackets, counted before any recursive code reads the text. */
export const NESTING_MAX = 64;
export const DEPTH_MAX = 15;
export const ALIASES_MAX = 100;
export const DIRECTIVES_MAX = 50;
/** Root fields of one mutation: each can write. */
export const MUTATIONS_MAX = 10;
/** Points, counted as the service does, with its limit for a query. */
export const COST_MAX = 10_000;
/** Points of an introspection document: the usual one costs 137,000. */
export const INTROSPECTION_COST_MAX = 250_000;
export const VARIABLES_DEPTH_MAX = 20;

export const PAGE_DEFAULT = 50;
export const PAGE_MAX = 250;

/** Fields in one response. The usual introspection query returns about half as many. */
export const FIELDS_MAX = 400_000;
/** Fields that are completed before other requests get a turn. */
export const FIELDS_PER_TURN = 10_000;
/** Objects that one request reads, including those of lists without pages. */
export const READ_ROWS_MAX = 50_000;
/** Characters that one request reads. */
export const READ_LENGTH_MAX = 16 * 1024 * 1024;
/** Rows per fetch when there may be more: each can be hundreds of kilobytes. */
export const FETCH_ROWS = 100;
/** Characters of a response. */
export const ANSWER_LENGTH_MAX = 8 * 1024 * 1024;
/** Errors in a response: further errors repeat the same information. */
export const ERRORS_SHOWN_MAX = 250;
export const DEADLINE_MS = 10_000;

export const FILTER_DEPTH_MAX = 10;
export const FILTER_NODES_MAX = 500;
/** Values in one `in` or `nin`. */
export const FILTER_VALUES_MAX = 1_000;
/** Keys that a list is sorted by. */
export const SORT_KEYS_MAX = 100;
/** Rows of a list without pages. */
export const LIST_MAX = 1_000;
