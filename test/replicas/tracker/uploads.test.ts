/** Files that a client uploads stay on this server. */
import { describe, expect, test } from "bun:test";
import { useDatabase } from "../../support/database";
import { useTracker } from "../../support/tracker";

const tracker = useTracker(useDatabase());
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

describe("an upload is rejected", () => {
  const TYPE = { "Content-Type": "text/csv" };

  test.each([
    ["of another type", { "Content-Type": "text/html" }, CONTENT, 403],
    ["of another length", TYPE, `${CONTENT}more`, 400],
  ] as const)("%s", async (_case, headers, body, status) => {
    const { uploadUrl, assetUrl } = await announced();

    expect((await put(uploadUrl, headers, body)).status).toBe(status);
    expect((await get(assetUrl)).status).toBe(404);
  });

  test("with another signature, or a second time", async () => {
    const { uploadUrl, headers, assetUrl } = await announced();
    expect((await put(uploadUrl.replace(/\w{32}$/, "0".repeat(32)), headers)).status).toBe(403);

    expect((await put(uploadUrl, headers)).status).toBe(200);
    expect((await put(uploadUrl, headers, "x".repeat(CONTENT.length))).status).toBe(403);
    expect(await (await get(assetUrl)).text()).toBe(CONTENT);
  });

  test("by another method", async () => {
    const { uploadUrl, headers } = await announced();
    expect((await fetch(uploadUrl, { method: "POST", headers, body: CONTENT })).status).toBe(405);
  });
});

test("a file is served to callers with access to the environment", async () => {
  const { uploadUrl, assetUrl, headers } = await announced();
  await put(uploadUrl, headers);
  const other = await tracker.program.environment({ templateName: "chat_default" });

  expect((await get(assetUrl, other.token)).status).toBe(401);
  expect((await get(`${assetUrl}0`)).status).toBe(404);
});
