/** Google's own clients for Node, `WHOLE` being the one of all services: an address with a path for each call, or only a host. Prints the number of calls. */
import assert from "node:assert/strict";
import { Readable } from "node:stream";

const { URL: url, ROOT: root, TOKEN: token, WHOLE: whole } = process.env;
const { auth, gmail } = whole ? (await import(whole)).google : await import("@googleapis/gmail");
const credentials = new auth.OAuth2();
credentials.setCredentials({ access_token: token });
let calls = 0;

const rawOf = (text) => Buffer.from(text.replaceAll("\n", "\r\n")).toString("base64url");
const userId = "me";

/** The same scenario with the whole address for each call, or the host for all of them. */
async function scenario(mail, options) {
  const call = async (method, params = {}) => {
    calls += 1;
    const { data } = await method({ userId, ...params }, options);
    return data;
  };
  const rejected = async (method, params) => {
    calls += 1;
    try {
      await method({ userId, ...params }, { ...options, retry: false });
    } catch (error) {
      return [error.status ?? error.code, error.response.data.error.message];
    }
    throw new Error("the call is not rejected");
  };
  const { users } = mail;
  const { messages, threads, drafts, labels } = users;

  const profile = await call(users.getProfile.bind(users));
  assert.equal(profile.emailAddress, "agent@acme.test");

  const page = await call(messages.list.bind(messages), { maxResults: 3 });
  assert.equal(page.messages.length, 3);
  const next = await call(messages.list.bind(messages), { pageToken: page.nextPageToken });
  assert.ok(!next.messages.some(({ id }) => page.messages.some((other) => other.id === id)));
  const both = await call(messages.list.bind(messages), { labelIds: ["INBOX", "UNREAD"] });
  assert.ok(both.messages.length > 0);
  assert.ok((await call(threads.list.bind(threads), { q: "in:inbox" })).threads.length > 0);

  const [{ id }] = page.messages;
  const message = await call(messages.get.bind(messages), { id });
  assert.equal(message.payload.partId, "");
  const headers = ["Subject", "From"];
  const metadata = await call(messages.get.bind(messages), {
    ...{ id, format: "metadata", metadataHeaders: headers },
  });
  assert.equal(metadata.payload.headers.length, 2);
  const thread = await call(threads.get.bind(threads), { id: message.threadId });
  assert.ok(thread.messages.some((each) => each.id === id));

  const raw = rawOf("To: john@acme.test\nSubject: From Node\n\nHello\n");
  const sent = await call(messages.send.bind(messages), { requestBody: { raw } });
  assert.deepEqual(sent.labelIds, ["SENT"]);
  const body = "To: john@acme.test\r\nSubject: Re: From Node\r\n\r\nUploaded\r\n";
  const media = { mimeType: "message/rfc822", body: Readable.from([body]) };
  const uploaded = await call(messages.send.bind(messages), {
    requestBody: { threadId: sent.threadId },
    media,
  });
  assert.equal(uploaded.threadId, sent.threadId);

  // 2 MB, in one request.
  const head =
    "To: x@example.org\r\nSubject: Large\r\nContent-Type: application/zip; name=a.zip\r\n";
  const zeros = Buffer.alloc(2 * 2 ** 20).toString("base64");
  const lines = zeros.replace(/.{76}/g, "$&\r\n");
  const large = await call(messages.send.bind(messages), {
    requestBody: {},
    media: {
      mimeType: "message/rfc822",
      body: Readable.from([head, "Content-Transfer-Encoding: base64\r\n\r\n", lines]),
    },
  });
  const listed = await call(messages.get.bind(messages), { id: large.id, format: "minimal" });
  assert.ok(listed.sizeEstimate > 2.8e6);

  const label = await call(labels.create.bind(labels), { requestBody: { name: `Node ${calls}` } });
  const addLabelIds = [label.id, "STARRED"];
  const changed = await call(messages.modify.bind(messages), {
    id: sent.id,
    requestBody: { addLabelIds },
  });
  assert.deepEqual(changed.labelIds.toSorted(), ["SENT", ...addLabelIds].toSorted());
  await call(messages.batchModify.bind(messages), {
    requestBody: { ids: [sent.id], removeLabelIds: ["STARRED"] },
  });
  await call(labels.delete.bind(labels), { id: label.id });
  assert.ok((await call(labels.list.bind(labels))).labels.length > 10);

  const draft = await call(drafts.create.bind(drafts), { requestBody: { message: { raw } } });
  assert.equal((await call(drafts.get.bind(drafts), { id: draft.id })).id, draft.id);
  assert.ok((await call(drafts.list.bind(drafts))).drafts.some((each) => each.id === draft.id));
  await call(drafts.send.bind(drafts), { requestBody: { id: draft.id } });

  const history = await call(users.history.list.bind(users.history), {
    startHistoryId: profile.historyId,
    historyTypes: ["messageAdded", "labelAdded"],
  });
  assert.ok(
    history.history.some(({ messagesAdded = [] }) => messagesAdded[0]?.message.id === sent.id),
  );
  await call(messages.trash.bind(messages), { id: sent.id });
  await call(messages.delete.bind(messages), { id: sent.id });

  const missing = await rejected(messages.get.bind(messages), { id: sent.id });
  assert.deepEqual(missing, [404, "Requested entity was not found."]);
  const denied = await rejected(users.getProfile.bind(users), { userId: "john@acme.test" });
  assert.deepEqual(denied, [403, "Delegation denied for john@acme.test"]);
  const empty = await rejected(messages.send.bind(messages), { requestBody: {} });
  assert.equal(empty[0], 400);
}

await scenario(gmail({ version: "v1", auth: credentials }), { rootUrl: `${url}/` });
await scenario(gmail({ version: "v1", auth: credentials, rootUrl: `${root}/` }), {
  // Of uploads, the client's own option changes nothing.
  rootUrl: `${root}/`,
});
const plain = gmail({ version: "v1", auth: credentials, rootUrl: `${url}/` });
const { data } = await plain.users.getProfile({ userId });
assert.equal(data.emailAddress, "agent@acme.test");
console.log(calls + 1);
