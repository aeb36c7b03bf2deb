/** Uploads in several requests. */
import { expect, test } from "bun:test";
import { expectStatus } from "../../support/program";
import { type Environment, useScene } from "./scene";

const scene = useScene();
const PIECE = 256 * 1024;
/** A message of two pieces and a rest. */
const MESSAGE = Buffer.from(
  `To: john@acme.test\r\nSubject: Long\r\n\r\n${"A line of the long text.\r\n".repeat(24_000)}`,
);
const LENGTH = MESSAGE.byteLength;

async function request(url: string, method: string, headers: object = {}, body?: string | Buffer) {
  const answer = await fetch(url, {
    ...{ method, redirect: "manual", headers: headers as Record<string, string> },
    ...(body !== undefined && { body }),
  });
  const text = await answer.text();
  return { status: answer.status, headers: answer.headers, body: text && JSON.parse(text) };
}

/** Begins an upload and returns its address. */
async function begin(
  { environmentUrl }: Environment,
  { path = "messages/send", fields = {}, headers = {}, method = "POST" } = {},
) {
  const answer = await request(
    `${scene.program.url}${environmentUrl}/resumable/upload/gmail/v1/users/me/${path}?uploadType=resumable`,
    method,
    { "Content-Type": "application/json", "X-Upload-Content-Type": "message/rfc822", ...headers },
    JSON.stringify(fields),
  );
  return { ...answer, address: answer.headers.get("location") ?? "" };
}

const put = (address: string, from: number, to: number, total: number | "*" = LENGTH) =>
  request(
    address,
    "PUT",
    { "Content-Range": `bytes ${from}-${to - 1}/${total}` },
    MESSAGE.subarray(from, to),
  );
const ask = (address: string, total: number | "*" = LENGTH) =>
  request(address, "PUT", { "Content-Range": `bytes */${total}` });
const placeOf = ({ status, headers }: Awaited<ReturnType<typeof request>>) => [
  status,
  headers.get("range"),
];
const totalOf = async (env: Environment) => (await scene.get(env, "profile")).messagesTotal;

test("a message arrives in pieces, and is sent with the last", async () => {
  const environment = await scene.environment();
  const first = await scene.send(environment, { to: "john@acme.test", subject: "Long" });
  const { address } = await begin(environment, { fields: { threadId: first.threadId } });

  expect(placeOf(await ask(address))).toEqual([308, null]);
  expect(placeOf(await put(address, 0, PIECE))).toEqual([308, `bytes=0-${PIECE - 1}`]);
  expect(placeOf(await put(address, PIECE, 2 * PIECE, "*"))).toEqual([
    308,
    `bytes=0-${2 * PIECE - 1}`,
  ]);
  expect(placeOf(await ask(address))).toEqual([308, `bytes=0-${2 * PIECE - 1}`]);
  const before = await totalOf(environment);
  const sent = await put(address, 2 * PIECE, LENGTH);

  expectStatus(sent, 200);
  expect(sent.body).toMatchObject({ threadId: first.threadId, labelIds: ["SENT"] });
  expect(await totalOf(environment)).toBe(before + 1);
  const { raw } = await scene.get(environment, `messages/${sent.body.id}?format=raw`);
  const text = Buffer.from(raw, "base64url").toString();
  expect(text.slice(text.indexOf("\r\n\r\n"))).toBe(
    MESSAGE.toString().slice(MESSAGE.indexOf("\r\n\r\n")),
  );
  // A client that has lost the answer gets it again.
  expect((await ask(address)).body).toEqual(sent.body);
  expect(await totalOf(environment)).toBe(before + 1);
});

test("a client that repeats bytes, or runs ahead, continues where the upload is", async () => {
  const environment = await scene.environment();
  const { address } = await begin(environment, { path: "messages" });
  await put(address, 0, PIECE);

  expect(placeOf(await put(address, 2 * PIECE, LENGTH))).toEqual([308, `bytes=0-${PIECE - 1}`]);
  const inserted = await put(address, 0, LENGTH);

  expectStatus(inserted, 200);
  const { sizeEstimate } = await scene.get(environment, `messages/${inserted.body.id}`);
  expect(sizeEstimate).toBeGreaterThanOrEqual(LENGTH);
});

test("one request may bring it all, and a draft is replaced with PUT", async () => {
  const environment = await scene.environment();
  const draft = await request(
    (await begin(environment, { path: "drafts" })).address,
    "PUT",
    {},
    MESSAGE,
  );
  expectStatus(draft, 200);
  const { address } = await begin(environment, { path: `drafts/${draft.body.id}`, method: "PUT" });
  const updated = await request(address, "PUT", {}, "To: x@y.test\r\nSubject: Short\r\n\r\nHi");
  expectStatus(updated, 200);
  expect(updated.body.id).toBe(draft.body.id);
});

test("only an upload that is complete changes something", async () => {
  const environment = await scene.environment();
  const diff = await scene.changesOf(environment, async () => {
    const { address } = await begin(environment);
    await put(address, 0, PIECE);
    expectStatus(await request(address, "DELETE"), 499);
    expectStatus(await ask(address), 404);
    await put((await begin(environment)).address, 0, PIECE);
  });
  expect(diff).toEqual({ inserts: [], updates: [], deletes: [] });
});

test("an upload belongs to its environment", async () => {
  const [environment, other] = [await scene.environment(), await scene.environment()];
  const { address } = await begin(environment);
  const stolen = address.replace(environment.environmentUrl, other.environmentUrl);
  expect(stolen).not.toBe(address);
  const answer = await put(stolen, 0, LENGTH);
  expect([answer.status, answer.body.error.message]).toEqual([
    404,
    "Requested entity was not found.",
  ]);
});

test("a message that cannot be sent ends the upload, and nothing is written", async () => {
  const environment = await scene.environment();
  const { address } = await begin(environment);
  const answer = await request(address, "PUT", {}, "Subject: To nobody\r\n\r\nHi");
  expect([answer.status, answer.body.error.message]).toEqual([400, "Recipient address required"]);
  expectStatus(await ask(address), 404);
});

test("after a failure that passes, the last piece is sent again", async () => {
  const environment = await scene.environment();
  await scene.program.call("PUT", `/env/${environment.environmentId}/faults`, {
    faults: [{ method: "messages.send", fault: "server_error", when: { times: 1 } }],
  });
  const { address } = await begin(environment);
  await put(address, 0, PIECE);
  expectStatus(await put(address, PIECE, LENGTH), 500);
  expect(placeOf(await ask(address))).toEqual([308, `bytes=0-${PIECE - 1}`]);
  expectStatus(await put(address, PIECE, LENGTH), 200);
});

test("an upload expires", async () => {
  const environment = await scene.environment();
  const { address } = await begin(environment);
  await scene.database.sql`update diorama.uploads set created_at = now() - interval '61 minutes'`;
  expectStatus(await put(address, 0, LENGTH), 404);
});

test("an environment has eight unfinished uploads, and room for two of the largest", async () => {
  const environment = await scene.environment();
  const begun = [];
  for (let n = 0; n < 9; n++) begun.push(await begin(environment));
  expect(begun.map(({ status }) => status)).toEqual([...Array(8).fill(200), 429]);
  expect(begun.at(-1)?.body.error.message).toBe("Too many concurrent requests for user");
  // As if others had brought as many bytes as there is room for.
  await scene.database
    .sql`update diorama.uploads set received = ${2 * 11 * 2 ** 20} where environment_id = ${environment.environmentId} and upload_id = ${new URL(begun[0]?.address ?? "").searchParams.get("upload_id")}`;
  expectStatus(await put(begun[1]?.address ?? "", 0, PIECE), 503);
  expectStatus(await request(begun[0]?.address ?? "", "DELETE"), 499);
  expect(placeOf(await put(begun[1]?.address ?? "", 0, PIECE))).toEqual([
    308,
    `bytes=0-${PIECE - 1}`,
  ]);
});

const TOO_LARGE = 10_485_761;

test.each([
  ["a path without uploads", { path: "labels" }, 404],
  ["an unknown path", { path: "nothing" }, 404],
  [
    "an announced length beyond the limit",
    { headers: { "X-Upload-Content-Length": `${TOO_LARGE}` } },
    413,
  ],
  ["a length that is no number", { headers: { "X-Upload-Content-Length": "x" } }, 400],
] as const)("no upload begins with %s", async (_, options, status) => {
  const environment = await scene.environment();
  const answer = await request(
    `${scene.program.url}${environment.environmentUrl}/upload/gmail/v1/users/me/${"path" in options ? options.path : "messages"}?uploadType=resumable`,
    "POST",
    "headers" in options ? options.headers : {},
  ).catch((error) => ({ status: error instanceof SyntaxError ? 404 : 0 }));
  expect(answer.status).toBe(status);
});

test.each([
  [`bytes 0-9/${LENGTH}`, "x", 400],
  ["bytes 0-0/x", "x", 400],
  ["bytes 5-5/3", "x", 400],
  ["bytes 0-0/*", "x", 400],
  [`bytes 0-0/${TOO_LARGE}`, "x", 413],
] as const)("a piece with the range %s is rejected", async (range, body, status) => {
  const environment = await scene.environment();
  const { address } = await begin(environment);
  expectStatus(await request(address, "PUT", { "Content-Range": range }, body), status);
});

test("the fields beside the file have a limit of their own", async () => {
  const environment = await scene.environment();
  const { status } = await begin(environment, { fields: { threadId: "x".repeat(64 * 1024) } });
  expect(status).toBe(413);
});
