/** The packages of the clients, served for installation. */
import { beforeAll, describe, expect, test } from "bun:test";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { answerFrom } from "~/site/clients";
import { version } from "../../package.json";
import { CLIENTS } from "../../scripts/clients";
import { buildPython } from "../../scripts/clients/wheel";
import { useDatabase } from "../support/database";
import { useProgram } from "../support/program";

const WHEEL = `diorama-${version}-py3-none-any.whl`;
const program = useProgram(useDatabase(), { ENVIRONMENT: "production", HOST: "127.0.0.1" });
const get = (path: string, init: RequestInit = {}) => fetch(`${program.url}/clients${path}`, init);
let built: Uint8Array;

beforeAll(async () => {
  const path = join(CLIENTS, WHEEL);
  if (!existsSync(path)) await buildPython(CLIENTS);
  built = await Bun.file(path).bytes();
});

describe("a server from source", () => {
  test.each(["", "/"])("lists what has been built, without a key, at /clients%s", async (path) => {
    const response = await get(path);

    expect(response.headers.get("Content-Type")).toStartWith("text/html");
    const text = await response.text();
    expect(text).toContain(`<a href="/clients/${WHEEL}">`);
    expect(text).toContain(`pip install ${program.url}/clients/${WHEEL}`);
  });

  test("serves a package as it was built", async () => {
    const response = await get(`/${WHEEL}`);

    expect(response.headers.get("Content-Type")).toBe("application/octet-stream");
    expect(await response.bytes()).toEqual(built);
  });

  test.each(["/diorama-9.9.9.tgz", "/..%2f..%2fpackage.json", "/licenses.txt", "/x/y"])(
    "has nothing else: %s",
    async (path) => {
      const response = await get(path);

      expect(response.status).toBe(404);
      expect(await response.json()).toMatchObject({ error: "not_found" });
    },
  );

  test("is only read", async () => {
    const response = await get(`/${WHEEL}`, { method: "DELETE" });

    expect(response.status).toBe(405);
    expect(response.headers.get("Allow")).toBe("GET, HEAD");
  });
});

test("a server without packages says how they are built", async () => {
  const list = await answerFrom(new Map(), "/clients/", program.url);

  expect(await list.text()).toContain("./scripts/bun run clients");
  const file = answerFrom(new Map(), `/clients/${WHEEL}`, program.url);
  await expect(file).rejects.toThrow("`bun run clients` builds them");
});
