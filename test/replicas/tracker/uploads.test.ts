/** Files that a client uploads stay on this server. */
import { describe, expect, test } from "bun:test";
import { useSharedDatabase } from "../../support/database";
import { useTracker } from "../../support/tracker";

const tracker = useTracker(useSharedDatabase());
const CONTENT = "name,price\ntea,3\n";

async function announced(contentType = "text/csv", filename = "prices & co.csv") {
  const { uploadFile } = await tracker.linear.fileUpload(contentType, filename, CONTENT.length);
  const headers = Object.fromEntries(uploadFile!.headers.map(({ key, value }) => [key, value]));
  return { ...uploadFile!, headers };
}
const put = (url: string, headers: Record<string, string>, body = CONTENT) =>
  fetch(url, { method: "PUT", headers, body });
const get = (url: string, key = tracker.key) => fetch(url, { headers: { "X-API-Key": key } });

test("a file is served as it was sent, from addresses of this server", async () => {
  const { uploadUrl, assetUrl, headers } = await announced();
  const [host] = tracker.url.split("/graphql");
  expect([uploadUrl, assetUrl].map((url) => url.startsWith(`${host}/uploads/`))).toEqual([
    true,
    true,
  ]);
  expect((await get(assetUrl)).status).toBe(404);

  expect((await put(uploadUrl, headers)).status).toBe(200);

  const served = await get(assetUrl);
  expect([served.status, await served.text()]).toEqual([200, CONTENT]);
  expect(served.headers.get("content-type")).toBe("text/csv; charset=utf-8");
  expect(served.headers.get("content-disposition")).toBe(
    "attachment; filename*=UTF-8''prices%20%26%20co.csv",
  );
});

test("a page that was uploaded runs no script", async () => {
  const { uploadUrl, assetUrl, headers } = await announced("text/html", "a.html");
  await put(uploadUrl, headers);

  const served = await get(assetUrl);
  expect(served.headers.get("content-disposition")).toStartWith("attachment");
  expect(served.headers.get("content-security-policy")).toContain("sandbox");
});

test("announces the headers of the service's storage, and the type", async () => {
  expect((await announced()).headers).toEqual({
    "Content-Type": "text/csv",
    "x-goog-content-length-range": `${CONTENT.length},${CONTENT.length}`,
    "Content-Disposition": 'attachment; filename="prices%20%26%20co.csv"',
  });
});

describe("a client that sets the Content-Type itself uploads", () => {
  const CASES: readonly (readonly [string, (url: string, headers: object) => Promise<number>])[] = [
    [
      "by set",
      async (url, announced) => {
        const headers = new Headers({ "Content-Type": "text/csv", "Cache-Control": "public" });
        for (const [name, value] of Object.entries(announced)) headers.set(name, value);
        return (await fetch(url, { method: "PUT", headers, body: CONTENT })).status;
      },
    ],
    [
      "by spread",
      async (url, announced) =>
        (await put(url, { "content-type": "text/csv", ...announced } as Record<string, string>))
          .status,
    ],
    [
      "by curl",
      async (url, announced) => {
        const headers = Object.entries({ "content-type": "text/csv", ...announced });
        const lines = headers.flatMap(([name, value]) => ["-H", `${name}: ${value}`]);
        const curl = ["curl", "-s", "-o", "/dev/null", "-w", "%{http_code}", "-X", "PUT", ...lines];
        const { stdout } = Bun.spawn([...curl, "--data-binary", CONTENT, url]);
        return Number(await new Response(stdout).text());
      },
    ],
    ["alone", async (url) => (await put(url, { "Content-Type": "text/csv" })).status],
  ];

  test.each(CASES)("%s", async (_way, send) => {
    const { uploadUrl, assetUrl, headers } = await announced();

    expect(await send(uploadUrl, headers)).toBe(200);
    expect(await (await get(assetUrl)).text()).toBe(CONTENT);
  });
});

describe("an upload is rejected, as XML with the storage's code,", () => {
  const TYPE = { "Content-Type": "text/csv" };
  const codeOf = async (response: Response) => {
    expect(response.headers.get("content-type")).toBe("application/xml; charset=UTF-8");
    const [, code] = /^<\?xml [^>]+><Error><Code>(\w+)<\/Code>/.exec(await response.text()) ?? [];
    return [response.status, code];
  };
  const MISMATCH = [403, "SignatureDoesNotMatch"];

  test.each([
    ["of another type", { "Content-Type": "text/html" }, CONTENT, MISMATCH],
    ["of another type too", { "Content-Type": "text/csv, text/html" }, CONTENT, MISMATCH],
    ["with a charset", { "Content-Type": "text/csv;charset=utf-8" }, CONTENT, MISMATCH],
    ["without a type", {}, CONTENT, MISMATCH],
    ["that is longer", TYPE, `${CONTENT}more`, [400, "EntityTooLarge"]],
    ["that is shorter", TYPE, CONTENT.slice(1), [400, "EntityTooSmall"]],
  ] as const)("%s", async (_case, headers, body, code) => {
    const { uploadUrl, assetUrl } = await announced();

    expect(await codeOf(await put(uploadUrl, headers, body))).toEqual([...code]);
    expect((await get(assetUrl)).status).toBe(404);
  });

  test("with another signature, or a second time", async () => {
    const { uploadUrl, headers, assetUrl } = await announced();
    const other = uploadUrl.replace(/\w{32}$/, "0".repeat(32));
    expect(await codeOf(await put(other, headers))).toEqual(MISMATCH);

    expect((await put(uploadUrl, headers)).status).toBe(200);
    expect(await codeOf(await put(uploadUrl, headers, "x".repeat(CONTENT.length)))).toEqual(
      MISMATCH,
    );
    expect(await (await get(assetUrl)).text()).toBe(CONTENT);
  });

  test("by another method", async () => {
    const { uploadUrl, headers } = await announced();
    const post = fetch(uploadUrl, { method: "POST", headers, body: CONTENT });
    expect(await codeOf(await post)).toEqual(MISMATCH);
  });
});

test("a file is served to callers with access to the environment", async () => {
  const { uploadUrl, assetUrl, headers } = await announced();
  await put(uploadUrl, headers);
  const other = await tracker.program.environment({ templateName: "chat_default" });

  expect((await get(assetUrl, other.token)).status).toBe(401);
  expect((await get(`${assetUrl}0`)).status).toBe(404);
});
