/** Every rejection that the API documents, and bad input: the service's error, and nothing written. */
import { beforeAll, describe, expect, test } from "bun:test";
import { useProgram } from "../../support/program";
import { restCall } from "../../support/rest";
import { type Environment, rawOf, useScene } from "./scene";

const scene = useScene();
const closed = useProgram(scene.database, { ENVIRONMENT: "production", HOST: "127.0.0.1" });
let environment: Environment;
/** Of the agent: a message, its attachment's message, and a draft. */
const own = { message: "", sent: "" };
/** Of John's mailbox. */
const johns = { message: "", thread: "", draft: "", label: "", filter: "", attachment: "" };

const asJohn = (verb: string, path: string, body?: object) =>
  scene.callAs(
    { "X-API-Key": environment.token, Authorization: "Bearer john@acme.test" },
    ...([environment, verb, path, body] as const),
  );

beforeAll(async () => {
  environment = await scene.environment({ allowImpersonation: true });
  [{ id: own.message }] = (await scene.get(environment, "messages?q=from:tess")).messages;
  const raw = rawOf({ to: "robin@acme.test", subject: "Note" });
  own.sent = (await scene.post(environment, "drafts", { message: { raw } })).id;
  await scene.post(environment, "drafts/send", { id: own.sent });
  const file = {
    "Content-Type": "text/plain; name=a.txt",
    "Content-Disposition": "attachment; filename=a.txt",
  };
  const added = await asJohn("POST", "messages", { raw: rawOf({ subject: "A", headers: file }) });
  const { id, threadId, payload } = (await asJohn("GET", `messages/${added.body.id}`)).body;
  Object.assign(johns, { message: id, thread: threadId, attachment: payload.body.attachmentId });
  johns.draft = (await asJohn("POST", "drafts", { message: { raw } })).body.id;
  for (const name of ["One", "Two", "Three"])
    johns.label = (await asJohn("POST", "labels", { name })).body.id;
  const filter = { criteria: { from: "a" }, action: { addLabelIds: [johns.label] } };
  johns.filter = (await asJohn("POST", "settings/filters", filter)).body.id;
});

const TO = { to: "john@acme.test" };
const UNKNOWN = "19b8d5a9c00003ff";
const NOT_FOUND = [404, "notFound", "Requested entity was not found."] as const;
const NO_MESSAGE =
  "'raw' RFC822 payload message string or uploading message via /upload/* URL required";
const NO_BASE64 = "(TYPE_BYTES), Base64 decoding failed";
const ONLY_ADMINISTRATORS =
  "Access restricted to service accounts that have been delegated domain-wide authority";
const NO_FIELD = 'Invalid JSON payload received. Unknown name "row"';

type Case = readonly [verb: string, path: string, body: unknown, ...rejected: Rejected];
type Rejected = readonly [status: number, reason: string, message: string];

const invalid = (message: string): Rejected => [400, "invalidArgument", message];
const misfit = (message: string): Rejected => [400, "badRequest", message];
const forbidden = (message: string): Rejected => [403, "forbidden", message];
const send = (body: object, ...rejected: Rejected): Case => [
  ...(["POST", "messages/send", body] as const),
  ...rejected,
];
const sending = (message: object, text: string) => send({ raw: rawOf(message) }, ...invalid(text));
/** A change of labels, of a message, a thread, and messages together. */
const changing = (change: object, text: string): Case[] =>
  ["messages/$message/modify", "threads/$message/modify", "messages/batchModify"].map((path) => [
    ...(["POST", path] as const),
    path.endsWith("batchModify") ? { ids: [UNKNOWN], ...change } : change,
    ...invalid(text),
  ]);
const filtering = (
  criteria: object | undefined,
  action: object | undefined,
  text: string,
  reason = "invalidArgument",
): Case => ["POST", "settings/filters", { criteria, action }, 400, reason, text];
const creating = (label: object, ...rejected: Rejected): Case => [
  ...(["POST", "labels", label] as const),
  ...rejected,
];

const MESSAGES: readonly Case[] = [
  ["GET", "messages/xyz", undefined, ...invalid("Invalid id value")],
  ["GET", `messages/${UNKNOWN}`, undefined, ...NOT_FOUND],
  [
    "GET",
    "messages/$message?format=other",
    undefined,
    ...misfit(expect.stringContaining("format")),
  ],
  ["DELETE", "messages/xyz", undefined, ...invalid("Invalid id value")],
  ["POST", "messages/xyz/trash", undefined, ...invalid("Invalid id value")],
  ["GET", "threads/xyz", undefined, ...invalid("Invalid id value")],
  ["GET", `threads/${UNKNOWN}`, undefined, ...NOT_FOUND],
  ["GET", "threads/$message?format=raw", undefined, ...misfit(expect.stringContaining("format"))],
  ["GET", "messages?pageToken=x", undefined, ...invalid("Invalid pageToken")],
  ["GET", "messages?pageToken=99999999999999999999", undefined, ...invalid("Invalid pageToken")],
  ["GET", "threads?pageToken=-1", undefined, ...invalid("Invalid pageToken")],
  ["GET", "drafts?pageToken=1e3", undefined, ...invalid("Invalid pageToken")],
  ["GET", "messages?labelIds=inbox", undefined, ...invalid("Invalid label: inbox")],
  ["GET", "messages?maxResults=many", undefined, ...misfit(expect.stringContaining("maxResults"))],
  ["GET", "messages/$message/attachments/x", undefined, ...invalid("Invalid attachment token")],
  [
    ...(["POST", "messages/batchModify", { ids: ["x"], addLabelIds: ["STARRED"] }] as const),
    ...invalid("Invalid ids value"),
  ],
  ["POST", "messages/batchDelete", { ids: ["$message", "x"] }, ...invalid("Invalid ids value")],
  ...changing({ addLabelIds: ["Label_99"] }, "labelId not found"),
  ...changing({ addLabelIds: ["Receipts"] }, "Invalid label: Receipts"),
  ...changing({ addLabelIds: ["SENT"] }, "Invalid label: SENT"),
  ...changing({ removeLabelIds: ["DRAFT"] }, "Invalid label: DRAFT"),
  ...changing({ addLabelIds: ["STARRED", "CHAT"] }, "Invalid label: CHAT"),
  ...changing({}, "No label add or removes specified"),
  ...changing({ addLabelIds: Array(101).fill("STARRED") }, "Too many label ids"),
];

const SENDING: readonly Case[] = [
  send({}, ...invalid(NO_MESSAGE)),
  send({ raw: "" }, ...invalid(NO_MESSAGE)),
  sending({ subject: "x" }, "Recipient address required"),
  sending({ to: "nobody" }, "Invalid To header"),
  sending({ ...TO, cc: "x y" }, "Invalid Cc header"),
  sending({ ...TO, bcc: "a@b@c" }, "Invalid Bcc header"),
  sending({ to: Array(501).fill("nobody@acme.test").join(", ") }, "Too many recipients"),
  send({ raw: rawOf(TO), threadId: "x" }, ...invalid("Invalid thread_id value")),
  send({ raw: rawOf(TO), threadId: UNKNOWN }, ...NOT_FOUND),
  [
    "POST",
    "messages/import",
    { raw: rawOf({}), threadId: UNKNOWN },
    ...invalid("threadId not allowed"),
  ],
  ["POST", "messages", { raw: rawOf({}), labelIds: ["Nope"] }, ...invalid("Invalid label: Nope")],
  [
    "POST",
    "messages/import",
    { raw: rawOf({}), labelIds: ["Nope"] },
    ...invalid("Invalid label: Nope"),
  ],
  ["POST", "drafts", {}, ...invalid(NO_MESSAGE)],
  [
    "POST",
    "drafts",
    { message: { raw: rawOf(TO), threadId: "x" } },
    ...invalid("Invalid thread_id value"),
  ],
  ["POST", "drafts/send", { id: "$sent" }, ...NOT_FOUND],
  ["POST", "drafts/send", { id: "r1" }, ...NOT_FOUND],
  ["PUT", "drafts/$sent", { message: { raw: rawOf(TO) } }, ...NOT_FOUND],
  ["GET", "drafts/r1", undefined, ...NOT_FOUND],
  ["DELETE", "drafts/r1", undefined, ...NOT_FOUND],
];

const LABELS: readonly Case[] = [
  creating({ name: "receipts" }, 409, "aborted", "Label name exists or conflicts"),
  creating({ name: "projects-login" }, 409, "aborted", "Label name exists or conflicts"),
  creating({ name: " Projects  login" }, 409, "aborted", "Label name exists or conflicts"),
  ...["Inbox", "SPAM", "trash", "Sent", "Drafts", "starred", "Important", "Unread", "Chats"].map(
    (name) => creating({ name }, ...invalid("Invalid label name")),
  ),
  creating({ name: " " }, ...invalid("Invalid label name")),
  creating({}, ...invalid("Invalid label name")),
  creating({ name: "x".repeat(226) }, ...invalid("Invalid label name")),
  creating(
    { name: "x", color: { textColor: "#123456", backgroundColor: "#ffffff" } },
    ...invalid("Label color #123456, #ffffff is not on the allowed color palette"),
  ),
  [
    "PATCH",
    "labels/Label_1",
    { name: "Projects/Login" },
    409,
    "aborted",
    "Label name exists or conflicts",
  ],
  ["PATCH", "labels/INBOX", { name: "x" }, ...invalid("Invalid update request")],
  ["PUT", "labels/SENT", { name: "x" }, ...invalid("Invalid update request")],
  ["DELETE", "labels/INBOX", undefined, ...invalid("Invalid delete request")],
  ["GET", "labels/Label_9", undefined, ...NOT_FOUND],
  ["PUT", "labels/Label_9", { name: "x" }, ...NOT_FOUND],
  ["DELETE", "labels/Label_9", undefined, ...NOT_FOUND],
];

const SETTINGS: readonly Case[] = [
  ["GET", "history", undefined, ...invalid("Missing required parameter: startHistoryId")],
  ["GET", "history?startHistoryId=x", undefined, ...invalid("Invalid startHistoryId")],
  ["GET", "history?startHistoryId=1", undefined, ...NOT_FOUND],
  ["GET", "history?startHistoryId=999999999999", undefined, ...NOT_FOUND],
  ["GET", "history?startHistoryId=2000000&pageToken=x", undefined, ...invalid("Invalid pageToken")],
  [
    "POST",
    "watch",
    { topicName: "mail" },
    ...invalid("Invalid topicName does not match projects/<project>/topics/*"),
  ],
  filtering(undefined, { addLabelIds: ["STARRED"] }, "Filter doesn't have any criteria"),
  filtering({ from: "a" }, undefined, "Filter doesn't have any actions"),
  filtering({ from: "a" }, { addLabelIds: ["Nope"] }, "Invalid label: Nope"),
  filtering(
    { from: "a" },
    { addLabelIds: ["Label_1", "Label_2"] },
    "Filter can add only one user label",
  ),
  filtering({ from: "a" }, { forward: "x@y.test" }, "Unrecognized forwarding address"),
  filtering(
    { from: "billing@paperworks.test" },
    { addLabelIds: ["Label_1"] },
    "Filter already exists",
    "failedPrecondition",
  ),
  filtering(
    { query: "x".repeat(2000) },
    { addLabelIds: ["STARRED"] },
    "The specified filter is too long",
  ),
  ["GET", "settings/filters/x", undefined, ...NOT_FOUND],
  ["DELETE", "settings/filters/x", undefined, ...NOT_FOUND],
  ["GET", "settings/sendAs/x@acme.test", undefined, ...NOT_FOUND],
  ["PATCH", "settings/sendAs/x@acme.test", { displayName: "x" }, ...NOT_FOUND],
  [
    "DELETE",
    "settings/sendAs/agent@acme.test",
    undefined,
    ...invalid("Cannot delete primary send-as"),
  ],
  ["GET", "settings/forwardingAddresses/x@acme.test", undefined, ...NOT_FOUND],
  [
    "PUT",
    "settings/vacation",
    { enableAutoReply: true },
    ...invalid("A non-empty response subject or body is required"),
  ],
  [
    "PUT",
    "settings/vacation",
    { startTime: "2", endTime: "1" },
    ...invalid("startTime must precede endTime"),
  ],
];

const RESTRICTED: readonly Case[] = [
  ...(
    ["sendAs", "forwardingAddresses", "delegates", "cse/identities", "cse/keypairs"] as const
  ).map((path) => ["POST", `settings/${path}`, {}] as const),
  ["DELETE", "settings/sendAs/x@acme.test", undefined] as const,
  ["POST", "settings/sendAs/x@acme.test/verify", {}] as const,
  ["PUT", "settings/autoForwarding", { enabled: true }] as const,
  ["DELETE", "settings/forwardingAddresses/x@acme.test", undefined] as const,
  ["GET", "settings/delegates", undefined] as const,
  ["GET", "settings/sendAs/agent@acme.test/smimeInfo", undefined] as const,
  ["GET", "settings/cse/keypairs", undefined] as const,
  ["POST", "settings/cse/keypairs/x:obliterate", {}] as const,
].map(([verb, path, body]) => [verb, path, body, ...forbidden(ONLY_ADMINISTRATORS)]);

const BAD_INPUT: readonly Case[] = [
  send({ raw: "!!!" }, ...invalid(`Invalid value at 'raw' ${NO_BASE64}`)),
  send({ raw: "abcde" }, ...invalid(`Invalid value at 'raw' ${NO_BASE64}`)),
  send({ raw: `${rawOf(TO)}\n` }, ...invalid(`Invalid value at 'raw' ${NO_BASE64}`)),
  ["POST", "messages", { raw: "a=b" }, ...invalid(`Invalid value at 'raw' ${NO_BASE64}`)],
  [
    "POST",
    "drafts",
    { message: { raw: "%" } },
    ...invalid(`Invalid value at 'draft.message.raw' ${NO_BASE64}`),
  ],
  [
    "POST",
    "messages/batchDelete",
    { ids: Array(1001).fill("1") },
    ...invalid("Too many ids: at most 1000"),
  ],
  [
    ...(["POST", "messages/batchModify"] as const),
    { ids: Array(1001).fill("$message"), addLabelIds: ["STARRED"] },
    ...invalid("Too many ids: at most 1000"),
  ],
  send({ row: "x" }, ...misfit(`${NO_FIELD}: Cannot find field.`)),
  ["POST", "labels", { name: "x", row: 1 }, ...misfit(`${NO_FIELD}: Cannot find field.`)],
  [
    "POST",
    "drafts",
    { message: { row: "x" } },
    ...misfit(`${NO_FIELD} at 'message': Cannot find field.`),
  ],
  [
    ...(["GET", "messages?row=x", undefined] as const),
    ...misfit(
      `${NO_FIELD}: Cannot bind query parameter. Field 'row' could not be found in request message.`,
    ),
  ],
  [
    ...(["POST", "messages/send", "{"] as const),
    ...([
      400,
      "parseError",
      "Invalid JSON payload received. The body is not valid JSON in UTF-8.",
    ] as const),
  ],
  send({ raw: 5 }, ...misfit(expect.stringContaining("Invalid value at 'raw'"))),
  [
    "POST",
    "labels",
    { name: "a\u0000b" },
    ...misfit("Invalid value at 'name': must be valid text"),
  ],
  [
    "GET",
    "messages?fields=messages(",
    undefined,
    ...invalid(expect.stringContaining("Invalid field selection messages(")),
  ],
  ...[
    ["profile?fields=subject", "subject"],
    ["messages?fields=messages(id,subject)", "subject"],
    ["threads?fields=threads/messages/payload/parts/parts/content", "content"],
  ].map(
    ([path = "", name]) =>
      ["GET", path, undefined, ...invalid(expect.stringContaining(`selection ${name}`))] as const,
  ),
];

const OF_ANOTHER_MAILBOX: readonly Case[] = [
  ...["messages/$johnsMessage", "threads/$johnsThread"].flatMap((path): Case[] => [
    ["GET", path, undefined, ...NOT_FOUND],
    ["POST", `${path}/modify`, { addLabelIds: ["STARRED"] }, ...NOT_FOUND],
    ["POST", `${path}/trash`, undefined, ...NOT_FOUND],
    ["POST", `${path}/untrash`, undefined, ...NOT_FOUND],
    ["DELETE", path, undefined, ...NOT_FOUND],
  ]),
  ["GET", "messages/$johnsMessage/attachments/$johnsAttachment", undefined, ...NOT_FOUND],
  [
    "GET",
    "messages/$message/attachments/$johnsAttachment",
    undefined,
    ...invalid("Invalid attachment token"),
  ],
  send({ raw: rawOf(TO), threadId: "$johnsThread" }, ...NOT_FOUND),
  ["POST", "messages", { raw: rawOf(TO), threadId: "$johnsThread" }, ...NOT_FOUND],
  ["GET", "drafts/$johnsDraft", undefined, ...NOT_FOUND],
  ["PUT", "drafts/$johnsDraft", { message: { raw: rawOf(TO) } }, ...NOT_FOUND],
  ["POST", "drafts/send", { id: "$johnsDraft" }, ...NOT_FOUND],
  ["DELETE", "drafts/$johnsDraft", undefined, ...NOT_FOUND],
  ["GET", "labels/$johnsLabel", undefined, ...NOT_FOUND],
  ["PATCH", "labels/$johnsLabel", { name: "x" }, ...NOT_FOUND],
  ["DELETE", "labels/$johnsLabel", undefined, ...NOT_FOUND],
  [
    "POST",
    "messages/$message/modify",
    { addLabelIds: ["$johnsLabel"] },
    ...invalid("labelId not found"),
  ],
  ["GET", "settings/filters/$johnsFilter", undefined, ...NOT_FOUND],
  ["DELETE", "settings/filters/$johnsFilter", undefined, ...NOT_FOUND],
];

/** The ids that `$message`, `$sent` and `$johns…` stand for. */
const named = (text: string) =>
  text
    .replace(/\$johns(\w+)/g, (_, name) => johns[name.toLowerCase() as keyof typeof johns])
    .replace(/\$(message|sent)/g, (_, name) => own[name as keyof typeof own]);

const NOTHING = { inserts: [], updates: [], deletes: [] };

describe.each([
  ["messages", MESSAGES],
  ["sending", SENDING],
  ["labels", LABELS],
  ["settings and history", SETTINGS],
  ["administrators' calls", RESTRICTED],
  ["bad input", BAD_INPUT],
  ["ids of another mailbox", OF_ANOTHER_MAILBOX],
])("rejections of %s", (_, cases) => {
  test.each(cases)("%s %s with %j", async (verb, path, body, status, reason, message) => {
    const sent = body === undefined ? undefined : JSON.parse(named(JSON.stringify(body)));
    const changes = await scene.changesOf(environment, async () => {
      const answer = await scene.call(environment, verb, named(path), sent);
      expect(answer).toMatchObject({
        status,
        body: { error: { code: status, message, errors: [{ message, domain: "global", reason }] } },
      });
    });

    expect(changes).toEqual(NOTHING);
  });
});

test("a second watch with another topic is rejected until the first one is stopped", async () => {
  const env = await scene.environment();
  const topic = (name: string) => ({ topicName: `projects/acme/topics/${name}` });
  await scene.post(env, "watch", topic("mail"));
  await scene.post(env, "watch", topic("mail"));

  expect(await scene.call(env, "POST", "watch", topic("other"))).toMatchObject({
    status: 400,
    body: {
      error: {
        message:
          "Only one user push notification client allowed per developer (call /stop then try again)",
      },
    },
  });
  await scene.post(env, "stop");
  await scene.post(env, "watch", topic("other"));
});

test.each([
  ["messages/batchModify", { addLabelIds: ["STARRED"] }],
  ["messages/batchDelete", {}],
])("%s skips ids of another mailbox", async (path, change) => {
  const changes = await scene.changesOf(environment, () =>
    scene.post(environment, path, { ids: [johns.message], ...change }),
  );

  expect(changes).toEqual(NOTHING);
});

test("a page token of another query continues at its message", async () => {
  const { nextPageToken } = await scene.get(environment, "messages?maxResults=1");
  const path = `messages?q=in:inbox&pageToken=${nextPageToken}`;

  expect((await scene.get(environment, path)).messages.length).toBeGreaterThan(1);
  expect((await scene.get(environment, "messages?pageToken=0")).messages).toBeUndefined();
});

test.each([
  ["labels", 10_000, { name: "x" }, "Too many labels"],
  [
    ...(["filters", 1_000] as const),
    { criteria: { from: "x" }, action: { addLabelIds: ["STARRED"] } },
    "Too many filters",
  ],
])("there are not more %s than %d", async (table, max, body, message) => {
  const env = await scene.environment();
  const values = {
    labels: `'Label_' || n, 'n' || n, 'show', 'labelShow' from generate_series(10, ${max + 9}) n`,
    filters: `'f' || n, '{}', '{}' from generate_series(1, ${max}) n`,
  }[table];
  const columns = {
    labels: 'mailbox, id, name, "messageListVisibility", "labelListVisibility"',
    filters: "mailbox, id, criteria, action",
  }[table];
  await scene.database.sql.unsafe(
    `insert into ${env.schemaName}.${table} (${columns}) select 'agent@acme.test', ${values}`,
  );
  const path = table === "labels" ? "labels" : "settings/filters";

  const changes = await scene.changesOf(env, async () => {
    expect(await scene.call(env, "POST", path, body)).toMatchObject({
      status: 400,
      body: { error: { message } },
    });
  });
  expect(changes).toEqual(NOTHING);
});

describe("line breaks in values of headers", () => {
  test("of a name and a subject do not begin other headers", async () => {
    const env = await scene.environment();
    const name = { displayName: "Agent\r\nBcc: robin@acme.test" };
    await scene.call(env, "PATCH", "settings/sendAs/agent@acme.test", name);
    await scene.call(env, "PUT", "settings/vacation", {
      ...{ enableAutoReply: true, responseSubject: "Away\r\nBcc: robin@acme.test" },
      responseBodyPlainText: "x",
    });
    const { inserts } = await scene.changesOf(env, async () => {
      await scene.send(env, { to: "john@acme.test" });
    });

    const rows = inserts.filter((row: any) => row.__table__ === "messages");
    expect(rows.map((row: any) => [row.mailbox, row.bcc])).toEqual([
      ["agent@acme.test", null],
      ["john@acme.test", null],
    ]);
  });
});

describe("credentials", () => {
  const EXPECTED =
    "Expected OAuth 2 access token, login cookie or other valid authentication credential. See https://developers.google.com/identity/sign-in/web/devconsole-project.";

  test.each([
    {
      ...{ credential: undefined, message: "Login Required.", reason: "required" },
      text: "Request is missing required authentication credential.",
    },
    {
      ...{ credential: "Bearer x", message: "Invalid Credentials", reason: "authError" },
      text: "Request had invalid authentication credentials.",
    },
  ])("a call with the credential $credential is rejected", async (expected) => {
    const { credential, text, message, reason } = expected;
    const headers = credential === undefined ? {} : { Authorization: credential };
    const url = `${closed.url}/gmail/v1/users/me/profile`;
    const { status, body } = await restCall(url, "GET", headers);

    expect([status, body.error]).toEqual([
      401,
      {
        ...{ code: 401, message: `${text} ${EXPECTED}`, status: "UNAUTHENTICATED" },
        errors: [
          {
            ...{ message, domain: "global", reason },
            ...{ location: "Authorization", locationType: "header" },
          },
        ],
      },
    ]);
  });
});

test("details of a misfit name the field", async () => {
  const { body } = await scene.call(environment, "POST", "messages/send", { row: "x" });

  expect(body.error.details).toEqual([
    {
      "@type": "type.googleapis.com/google.rpc.BadRequest",
      fieldViolations: [{ field: "", description: `${NO_FIELD}: Cannot find field.` }],
    },
  ]);
});

test("an unknown path has the page of the front end", async () => {
  const { status, body } = await scene.call(environment, "GET", "nothing");

  expect([status, body.startsWith("<!DOCTYPE html>")]).toEqual([404, true]);
});
