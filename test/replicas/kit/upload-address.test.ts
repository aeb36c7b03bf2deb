import { expect, test } from "bun:test";
import type { Session } from "~/db/session";
import { uploadAddress } from "~/replicas/kit/upload-address";

const session = {} as Session;
const uploads = uploadAddress(/^upload\/(\w+)\/([0-9a-f]{4})$/, async (_session, id, secret) =>
  id === "F1" && secret === "beef" ? { size: 3 } : undefined,
);

test("an address with the right secret finds its file", async () => {
  expect(await uploads.find(session, "upload/F1/beef")).toEqual({ id: "F1", file: { size: 3 } });
  expect(await uploads.awaits(session, "upload/F1/beef")).toBe(true);
});

test.each([
  ["another secret", "upload/F1/dead", true],
  ["another file", "upload/F2/beef", true],
  ["another path", "uploads/F1/beef", false],
  ["more than the address", "upload/F1/beef/", false],
])("an address with %s finds none", async (_case, path, matches) => {
  expect(uploads.matches(path)).toBe(matches);
  expect(await uploads.find(session, path)).toBeUndefined();
  expect(await uploads.awaits(session, path)).toBe(false);
});
