/** A page that does not exist, for browsers and for other clients. */
import { expect, test } from "bun:test";
import { useSharedDatabase } from "../support/database";
import { useProgram } from "../support/program";

const database = useSharedDatabase();
const program = useProgram(database);

const get = (path: string, accept: string) =>
  fetch(program.url + path, { headers: { Accept: accept } });

test("a browser gets a page with the policy of pages; other clients get the error", async () => {
  for (const path of ["/docs/guide/none", "/docs/guide/", "/docs/reference/x/y"]) {
    const page = await get(path, "text/html,application/xhtml+xml,*/*;q=0.8");
    expect([path, page.status]).toEqual([path, 404]);
    expect(page.headers.get("content-security-policy")).toContain("script-src 'self'");
    expect(await page.text()).toContain("<h1");

    const answer = await get(path, "application/json");
    expect([path, answer.status]).toEqual([path, 404]);
    expect(await answer.json()).toMatchObject({ error: "not_found" });
  }
});
