/** Requests to an app, with the limits and redirects of the service. */
import { afterAll, expect, test } from "bun:test";
import { post } from "~/commands/posting";

const server = Bun.serve({
  ...{ hostname: "127.0.0.1", port: 0 },
  async fetch(request) {
    const { pathname, origin } = new URL(request.url);
    const [, kind, count] = pathname.split("/");
    if (kind === "hop")
      return count === "0"
        ? new Response(await request.text())
        : Response.redirect(`${origin}/hop/${Number(count) - 1}`, 307);
    if (kind === "long") return new Response("x".repeat(1_000_000));
    if (kind === "late") await Bun.sleep(4_000);
    return new Response("", {
      status: 500,
      headers: { "X-Slack-No-Retry": "1", "X-Long": "x".repeat(1_000) },
    });
  },
});
afterAll(() => server.stop(true));
const limits = { acknowledgeMs: 3_000, redirectsMax: 2 };
const at = (path: string, given: object = {}) =>
  post(
    `http://127.0.0.1:${server.port}${path}`,
    { headers: { a: "b" }, body: "hello" },
    { ...limits, ...given },
  );

test("an answer has its status, its own headers and the beginning of its text", async () => {
  const { outcome, detail } = await at("/");
  expect(outcome).toEqual({ status: 500, headers: { "x-slack-no-retry": "1" } });
  expect(detail).toBe("500");
  expect((await at("/long")).text.length).toBe(300 * 1024);
});

test("two redirects are followed", async () => {
  expect(await at("/hop/2")).toMatchObject({ outcome: { status: 200 }, text: "hello" });
  expect((await at("/hop/3")).outcome).toEqual({ error: "too_many_redirects" });
});

test("a service can follow no redirect, and wait longer", async () => {
  const { outcome, detail } = await at("/hop/1", { redirectsMax: 0 });
  expect(outcome).toMatchObject({ status: Number(detail) });
  expect(Number(detail)).toBeWithin(300, 400);
  expect((await at("/late", { acknowledgeMs: 10_000 })).outcome).toMatchObject({ status: 500 });
});

test("what fails is named", async () => {
  const posted = (address: string) => post(address, { headers: {}, body: "" }, limits);
  expect((await at("/late")).outcome).toEqual({ error: "timeout" });
  expect((await posted("http://127.0.0.1:9/")).outcome).toEqual({ error: "connection_failed" });
  const tls = await posted(`https://127.0.0.1:${server.port}/`);
  expect(tls.outcome).toEqual({ error: "ssl_error" });
});
