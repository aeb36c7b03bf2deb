/** Bounds of one request. Each leaves room for every document that the official clients send. */

/** Characters of a document: room for a long text written into it. */
export const DOCUMENT_LENGTH_MAX = 512 * 1024;
export const TOKENS_MAX = 10_000;
/** Brackets inside brackets, counted before anything recursive reads the text. */
export const NESTING_MAX = 64;
export const DEPTH_MAX = 15;
export const ALIASES_MAX = 100;
export const DIRECTIVES_MAX = 50;
/** Root fields of one mutation: each may write. */
export const MUTATIONS_MAX = 10;
/** Points, as the service counts them and as many as it allows for a query. */
export const COST_MAX = 10_000;
/** Of a document that asks for nothing but the schema: the usual one costs 137,000. */
export const INTROSPECTION_COST_MAX = 250_000;
export const VARIABLES_DEPTH_MAX = 20;

export const PAGE_DEFAULT = 50;
export const PAGE_MAX = 250;

/** Fields that one request answers. The usual request for the whole schema answers about half as many. */
export const FIELDS_MAX = 400_000;
/** Fields that are answered without letting other requests go on. */
export const FIELDS_PER_TURN = 10_000;
/** Objects that one request reads, those of lists that are not paged among them. */
export const READ_ROWS_MAX = 50_000;
/** Characters that one request reads, whether it selects them or not. */
export const READ_LENGTH_MAX = 16 * 1024 * 1024;
/** Rows that are fetched at a time where there may be more: each may be hundreds of kilobytes. */
export const FETCH_ROWS = 100;
/** Characters of an answer. */
export const ANSWER_LENGTH_MAX = 8 * 1024 * 1024;
/** Errors of an answer: more of them say nothing new. */
export const ERRORS_SHOWN_MAX = 250;
export const DEADLINE_MS = 10_000;

export const FILTER_DEPTH_MAX = 10;
export const FILTER_NODES_MAX = 500;
/** Values in one `in` or `nin`. */
export const FILTER_VALUES_MAX = 1_000;
/** Rows of a list that is not paged. */
export const LIST_MAX = 1_000;
