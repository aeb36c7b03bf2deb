/** Bounds of one request. Each leaves room for every document that the official clients send. */

export const TOKENS_MAX = 10_000;
/** Brackets inside brackets, counted before anything recursive reads the text. */
export const NESTING_MAX = 64;
export const DEPTH_MAX = 15;
export const ALIASES_MAX = 100;
export const DIRECTIVES_MAX = 50;
/** Root fields of one mutation: each may write. */
export const MUTATIONS_MAX = 10;
/** Points. The dearest document of the official client costs 37,575 at the largest page. */
export const COST_MAX = 40_000;
export const VARIABLES_DEPTH_MAX = 20;

export const PAGE_DEFAULT = 50;
export const PAGE_MAX = 250;

export const FILTER_DEPTH_MAX = 10;
export const FILTER_NODES_MAX = 500;
/** Values in one `in` or `nin`. */
export const FILTER_VALUES_MAX = 1_000;
/** Rows of a list that is not paged. */
export const LIST_MAX = 1_000;
