/** A page of a list, as stores read it: newest first, one row more than its limit. */
export type Page = { readonly limit: number; readonly after: CursorPosition | undefined };

/** The row before the beginning of a page. The time is as Postgres prints it, with all digits. */
export type CursorPosition = { readonly at: string; readonly id: string };
