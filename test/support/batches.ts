/** Batches of calls: `multipart/mixed` with a request in each part. */
import { readHead, readParts } from "~/replicas/kit/multipart";

type Inner = {
  readonly verb?: string;
  readonly path: string;
  readonly body?: object;
  readonly headers?: string;
};

export const batchOf = (calls: readonly Inner[]) => ({
  type: "multipart/mixed; boundary=cut",
  body: `${calls
    .map(({ verb = "GET", path, body, headers = "" }, index) =>
      [
        "--cut\r\nContent-Type: application/http",
        `Content-ID: <x + ${index}>\r\n`,
        `${verb} ${path} HTTP/1.1`,
        `Content-Type: application/json\r\n${headers}`,
        body === undefined ? "" : JSON.stringify(body),
        "",
      ].join("\r\n"),
    )
    .join("")}--cut--`,
});

/** Posts a batch. The answers have JSON, or text. */
export async function postBatch(
  url: string,
  calls: readonly Inner[],
  headers: Record<string, string> = {},
) {
  const { type, body } = batchOf(calls);
  const response = await fetch(url, {
    method: "POST",
    headers: { "Content-Type": type, ...headers },
    body,
  });
  const bytes = Buffer.from(await response.arrayBuffer());
  const received = response.headers.get("content-type") ?? "";
  if (!received.startsWith("multipart/"))
    return { status: response.status, body: JSON.parse(bytes.toString()), answers: [] };
  const answers = readParts(received, bytes, 1000).map(({ headers: outer, content }) => {
    const { lines, headers: inner, content: text } = readHead(content, 1);
    const isJson = inner.get("content-type")?.includes("json");
    return {
      id: outer.get("content-id"),
      status: Number(lines[0]?.split(" ")[1]),
      body: isJson ? JSON.parse(text.toString()) : text.toString(),
    };
  });
  return { status: response.status, body: undefined, answers };
}
