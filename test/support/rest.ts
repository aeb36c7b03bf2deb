/** Calls of REST APIs. */

/** The body of an answer is parsed if it is JSON. */
export async function restCall(
  url: string,
  verb: string,
  headers: Record<string, string>,
  body?: object | string,
) {
  const response = await fetch(url, {
    method: verb,
    headers,
    ...(body !== undefined && { body: typeof body === "string" ? body : JSON.stringify(body) }),
  });
  const text = await response.text();
  const isJson = response.headers.get("content-type")?.includes("json") ?? false;
  const { status, ok, headers: received } = response;
  return { status, ok, headers: received, text, body: isJson && text ? JSON.parse(text) : text };
}
