/** Addresses of files with and without a credential, on a server that requires one. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { WebClient } from "@slack/web-api";
import { connect, type Pool } from "~/db/connect";
import { createKey } from "~/platform/keys/keys";
import { useDatabase } from "../../support/database";
import { useProgram } from "../../support/program";

const database = useDatabase();
const production = useProgram(database, { ENVIRONMENT: "production", HOST: "127.0.0.1" });
let pool: Pool;

beforeAll(() => {
  pool = connect(database.url, { max: 1, name: "test", camel: true });
});
afterAll(() => pool.end());

test("bytes are sent to an address that nobody can guess, and fetched with a credential or a public link", async () => {
  const { key } = await createKey(pool, {
    userId: "someone",
    name: "",
    plan: "free",
    expiresInDays: null,
  });
  const headers = { "X-API-Key": key };
  const { environmentUrl, token } = await production.environment({}, headers);
  const slackApiUrl = `${production.url}${environmentUrl}/`;
  const client = new WebClient(token, { slackApiUrl, retryConfig: { retries: 0 } });

  const { upload_url: address = "", file_id: id = "" } = await client.files.getUploadURLExternal({
    filename: "a.txt",
    length: 5,
  });
  const sent = await fetch(address, { method: "POST", body: "hello" });
  await client.files.completeUploadExternal({ files: [{ id }] } as never);
  const { file } = await client.files.info({ file: id });
  const secret = file?.url_private ?? "";

  expect(await sent.text()).toBe("OK - 5");
  expect((await fetch(secret)).status).toBe(401);
  expect(await (await fetch(secret, { headers })).text()).toBe("hello");
  const published = await client.files.sharedPublicURL({ file: id });
  const open = published.file?.permalink_public ?? "";
  expect(await (await fetch(open)).text()).toBe("hello");
  expect((await fetch(`${open.slice(0, -1)}x`)).status).toBe(401);
  await client.files.revokePublicURL({ file: id });
  expect((await fetch(open)).status).toBe(404);
});
