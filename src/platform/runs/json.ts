/** Sends stored JSON text unchanged: a diff may be megabytes long. */
export const json = (text: string) =>
  new Response(text, { headers: { "Content-Type": "application/json; charset=utf-8" } });
