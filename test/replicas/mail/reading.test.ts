import { beforeAll, describe, expect, test } from "bun:test";
import { type Environment, rawOf, useScene } from "./scene";

const scene = useScene();
let environment: Environment;
beforeAll(async () => {
  environment = await scene.environment();
});
const get = (path: string) => scene.get(environment, path);
const idOf = async (q: string): Promise<string> => {
  const { messages } = await get(`messages?q=${encodeURIComponent(q)}`);
  expect(messages).toHaveLength(1);
  return messages[0].id;
};
const decoded = (data: string) => Buffer.from(data, "base64url").toString();

test("the profile counts messages and threads", async () => {
  expect(await get("profile")).toEqual({
    ...{ emailAddress: "agent@acme.test", messagesTotal: 11, threadsTotal: 7 },
    historyId: expect.stringMatching(/^\d+$/),
  });
});

describe("messages.get", () => {
  test("takes formats in capitals too, and no others", async () => {
    const id = await idOf("subject:second has:attachment");

    const capitals = await get(`messages/${id}?format=MINIMAL`);

    expect(capitals).toEqual(await get(`messages/${id}?format=minimal`));
    for (const format of ["Full", "none"])
      expect(await scene.call(environment, "GET", `messages/${id}?format=${format}`)).toMatchObject(
        { status: 400 },
      );
  });

  test("shows the part tree with texts inline and attachments by id", async () => {
    const id = await idOf("subject:second has:attachment");

    const { payload, ...message } = await get(`messages/${id}`);

    expect(message).toMatchObject({ id, threadId: id, labelIds: ["INBOX", "UNREAD", "Label_2"] });
    expect(payload).toMatchObject({ partId: "", mimeType: "multipart/mixed", body: { size: 0 } });
    expect(payload.body).toEqual({ size: 0 });
    const [html, pdf] = payload.parts;
    // A matcher in an expectation takes the place of the value that it matches.
    const { attachmentId } = pdf.body;
    expect(html).toMatchObject({ partId: "0", mimeType: "text/html", filename: "" });
    expect(decoded(html.body.data)).toContain("<b>second draft</b>");
    expect(pdf).toMatchObject({
      ...{ partId: "1", mimeType: "application/pdf", filename: "login-page-v2.pdf" },
      body: { attachmentId: expect.any(String), size: 69 },
    });
    const content = await get(`messages/${id}/attachments/${attachmentId}`);
    expect(content.size).toBe(69);
    expect(decoded(content.data)).toStartWith("%PDF-1.1");
  });

  test.each([
    [
      "minimal",
      ["id", "threadId", "labelIds", "snippet", "sizeEstimate", "historyId", "internalDate"],
    ],
    [
      "metadata",
      [
        "id",
        "threadId",
        "labelIds",
        "snippet",
        "sizeEstimate",
        "historyId",
        "internalDate",
        "payload",
      ],
    ],
    [
      "raw",
      ["id", "threadId", "labelIds", "snippet", "sizeEstimate", "historyId", "internalDate", "raw"],
    ],
  ])("has the fields of the format %s", async (format, fields) => {
    const id = await idOf("from:tess@northwind.test");

    expect(Object.keys(await get(`messages/${id}?format=${format}`))).toEqual(fields);
  });

  test("shows the headers that are asked for, in any case", async () => {
    const id = await idOf("from:tess@northwind.test");
    const query = "format=metadata&metadataHeaders=SUBJECT&metadataHeaders=from";

    expect((await get(`messages/${id}?${query}`)).payload.headers).toEqual([
      { name: "From", value: "Tess Marlow <tess@northwind.test>" },
      { name: "Subject", value: "Cannot log in since December" },
    ]);
  });

  test("keeps the bytes of the message in the format raw", async () => {
    const id = await idOf("from:tess@northwind.test");
    const { raw, sizeEstimate } = await get(`messages/${id}?format=raw`);

    expect(raw.length % 4).toBe(0);
    const text = Buffer.from(raw, "base64url");
    expect(text.byteLength).toBe(sizeEstimate);
    expect(text.toString()).toStartWith("Delivered-To: agent@acme.test\r\n");
  });
});

describe("charsets and encodings", () => {
  const insert = async (head: string, body: Buffer) => {
    const bytes = Buffer.concat([Buffer.from(`${head}\r\n\r\n`), body]);
    const { id } = await scene.post(environment, "messages", { raw: bytes.toString("base64") });
    return await get(`messages/${id}`);
  };
  const bytes = (...codes: readonly number[]) => Buffer.from(codes);

  test.each([
    ["iso-8859-1", bytes(0x63, 0x61, 0x66, 0xe9), "café"],
    ["windows-1252", bytes(0x93, 0x61, 0x94), "“a”"],
    ["utf-8", Buffer.from("naïve 日本"), "naïve 日本"],
    ["iso-2022-jp", bytes(0x1b, 0x24, 0x42, 0x46, 0x7c, 0x4b, 0x5c, 0x1b, 0x28, 0x42), "日本"],
    ["shift_jis", bytes(0x93, 0xfa, 0x96, 0x7b), "日本"],
    ["euc-kr", bytes(0xc7, 0xd1), "한"],
    ["gb18030", bytes(0xd6, 0xd0), "中"],
    ["big5", bytes(0xa4, 0xa4), "中"],
    ["koi8-r", bytes(0xcd, 0xc9, 0xd2), "мир"],
    ["utf-7", Buffer.from("plain"), "plain"],
    ["x-unknown", bytes(0xe9), "é"],
    ["", Buffer.from("ü"), "ü"],
  ])("%s becomes UTF-8, and the size counts the bytes before", async (charset, body, text) => {
    const type = charset === "" ? "text/plain" : `text/plain; charset=${charset}`;
    const { payload, snippet } = await insert(`Subject: x\r\nContent-Type: ${type}`, body);

    expect(decoded(payload.body.data)).toBe(text);
    expect(payload.body.size).toBe(body.byteLength);
    expect(snippet).toBe(text);
  });

  test("quoted-printable and base64 are undone, and line breaks stay", async () => {
    const quoted = await insert(
      "Subject: x\r\nContent-Transfer-Encoding: quoted-printable\r\nContent-Type: text/plain; charset=utf-8",
      Buffer.from("a=C3=A9 =\r\nb\r\nc\r\n"),
    );
    const base64 = await insert(
      "Subject: x\r\nContent-Transfer-Encoding: base64\r\nContent-Type: text/plain",
      Buffer.from("aGVsbG8NCg=="),
    );

    expect(decoded(quoted.payload.body.data)).toBe("aé b\r\nc\r\n");
    expect(decoded(base64.payload.body.data)).toBe("hello\r\n");
  });

  test("headers are decoded and unfolded; a decoded name is quoted", async () => {
    const { payload } = await insert(
      "From: =?utf-8?Q?J=C3=B6rg?= <a@b.test>\r\nSubject: =?iso-8859-1?Q?caf=E9?=\r\n =?iso-8859-1?Q?_x?=\r\nx-Dup: 1\r\nX-dup: 2",
      Buffer.from("x"),
    );

    expect(payload.headers.slice(1)).toEqual([
      { name: "From", value: '"Jörg" <a@b.test>' },
      { name: "Subject", value: "café x" },
      { name: "x-Dup", value: "1" },
      { name: "X-dup", value: "2" },
    ]);
  });

  test("a message inside is expanded, and is an attachment if it has a name", async () => {
    const inner = "Subject: inner\r\nContent-Type: text/plain\r\n\r\nhi\r\n";
    const { payload } = await insert(
      "Subject: x\r\nContent-Type: multipart/mixed; boundary=b",
      Buffer.from(
        `--b\r\n\r\nsee below\r\n--b\r\nContent-Type: message/rfc822; name="x.eml"\r\n\r\n${inner}\r\n--b--\r\n`,
      ),
    );

    const [text, eml] = payload.parts;
    expect(decoded(text.body.data)).toBe("see below");
    expect(eml).toMatchObject({ partId: "1", filename: "x.eml" });
    expect(eml.body).toMatchObject({ attachmentId: expect.any(String), size: inner.length });
    expect(eml.parts[0]).toMatchObject({
      partId: "1.0",
      headers: [{ name: "Subject", value: "inner" }, {}],
    });
    expect(decoded(eml.parts[0].body.data)).toBe("hi\r\n");
  });

  test.each([
    ["a boundary that never comes", "Content-Type: multipart/mixed; boundary=b", "text"],
    ["no headers", "", "just text"],
    ["a type that is none", "Content-Type: ;;;", "text"],
    ["base64 that is none", "Content-Transfer-Encoding: base64", "%%%%"],
  ])("a broken message with %s is stored", async (_case, head, body) => {
    const { payload } = await insert(head, Buffer.from(body));

    expect(payload).toMatchObject({ partId: "", filename: "" });
  });
});

describe("answers", () => {
  test("are indented unless prettyPrint is false", async () => {
    const read = async (query: string) =>
      await (
        await fetch(
          `${scene.program.url}${environment.environmentUrl}/gmail/v1/users/me/profile${query}`,
        )
      ).text();

    expect(await read("")).toContain('{\n  "emailAddress"');
    expect(await read("?prettyPrint=false")).toStartWith('{"emailAddress"');
  });

  test.each([
    ["emailAddress", { emailAddress: "agent@acme.test" }],
    [
      "emailAddress,messagesTotal",
      { emailAddress: "agent@acme.test", messagesTotal: expect.any(Number) },
    ],
    ["none", {}],
  ])("have the fields %s", async (fields, expected) => {
    expect(await get(`profile?fields=${encodeURIComponent(fields)}`)).toEqual(expected);
  });

  test("have the fields of a nested mask", async () => {
    const fields = encodeURIComponent("messages(id),resultSizeEstimate");
    const { messages, ...rest } = await get(`messages?maxResults=1&fields=${fields}`);

    expect(Object.keys(messages[0])).toEqual(["id"]);
    expect(rest).toEqual({ resultSizeEstimate: expect.any(Number) });
  });

  test("to a POST with the query of a long GET are those of the GET", async () => {
    const response = await fetch(
      `${scene.program.url}${environment.environmentUrl}/gmail/v1/users/me/messages`,
      {
        method: "POST",
        headers: {
          "x-http-method-override": "GET",
          "content-type": "application/x-www-form-urlencoded",
        },
        body: "q=from%3Atess%40northwind.test",
      },
    );

    expect(((await response.json()) as { messages: object[] }).messages).toHaveLength(1);
  });
});

test("the own address stands for me; that of somebody else is denied", async () => {
  const profileOf = async (user: string) => {
    const path = `/gmail/v1/users/${encodeURIComponent(user)}/profile`;
    const response = await fetch(`${scene.program.url}${environment.environmentUrl}${path}`);
    return { status: response.status, body: (await response.json()) as object };
  };

  expect(await profileOf("agent@acme.test")).toMatchObject({ status: 200 });
  expect(await profileOf("john@acme.test")).toMatchObject({
    status: 403,
    body: {
      error: { message: "Delegation denied for john@acme.test", status: "PERMISSION_DENIED" },
    },
  });
});

describe("rejections", () => {
  test.each([
    ["GET", "messages/xyz", undefined, 400, "Invalid id value"],
    ["GET", "messages/19b8d5a9c00003ff", undefined, 404, "Requested entity was not found."],
    ["GET", "threads/xyz", undefined, 400, "Invalid id value"],
    ["GET", "threads/19b8d5a9c00003ff", undefined, 404, "Requested entity was not found."],
    ["GET", "messages?pageToken=x", undefined, 400, "Invalid pageToken"],
    ["GET", "messages?pageToken=99999999999999999999", undefined, 400, "Invalid pageToken"],
    ["GET", "messages?labelIds=inbox", undefined, 400, "Invalid label: inbox"],
    [
      "POST",
      "messages/batchModify",
      { ids: ["x"], addLabelIds: ["STARRED"] },
      400,
      "Invalid ids value",
    ],
    [
      "POST",
      "messages/batchDelete",
      { ids: Array(1001).fill("1") },
      400,
      "Too many ids: at most 1000",
    ],
    [
      "POST",
      "messages/send",
      {},
      400,
      "'raw' RFC822 payload message string or uploading message via /upload/* URL required",
    ],
    [
      "POST",
      "messages/send",
      { raw: "!!!" },
      400,
      "Invalid value at 'raw' (TYPE_BYTES), Base64 decoding failed",
    ],
    ["POST", "messages/send", { raw: rawOf({ subject: "x" }) }, 400, "Recipient address required"],
    ["POST", "messages/send", { raw: rawOf({ to: "nobody" }) }, 400, "Invalid To header"],
    [
      "POST",
      "messages/send",
      { raw: rawOf({ to: "john@acme.test", cc: "x y" }) },
      400,
      "Invalid Cc header",
    ],
    [
      "POST",
      "messages/send",
      { raw: rawOf({ to: "john@acme.test" }), threadId: "x" },
      400,
      "Invalid thread_id value",
    ],
    [
      "POST",
      "messages/send",
      { raw: rawOf({ to: "john@acme.test" }), threadId: "19b8d5a9c00003ff" },
      404,
      "Requested entity was not found.",
    ],
    [
      "POST",
      "messages/import",
      { raw: rawOf({}), threadId: "19b8d5a9c00003ff" },
      400,
      "threadId not allowed",
    ],
    [
      "POST",
      "messages/send",
      { row: "x" },
      400,
      'Invalid JSON payload received. Unknown name "row": Cannot find field.',
    ],
    [
      "GET",
      "messages?query=x",
      undefined,
      400,
      `Invalid JSON payload received. Unknown name "query": Cannot bind query parameter. Field 'query' could not be found in request message.`,
    ],
    [
      "POST",
      "messages/send",
      "{",
      400,
      "Invalid JSON payload received. The body is not valid JSON in UTF-8.",
    ],
  ])("%s %s with %j", async (verb, path, body, status, message) => {
    const own = environment;
    const changes = await scene.changesOf(own, async () => {
      expect(await scene.call(own, verb, path, body)).toMatchObject({
        status,
        body: { error: { code: status, message, errors: [{ message, domain: "global" }] } },
      });
    });

    expect(changes).toEqual({ inserts: [], updates: [], deletes: [] });
  });

  test("an unknown path has the page of the front end", async () => {
    const { status, body } = await scene.call(environment, "GET", "nothing");

    expect([status, body.startsWith("<!DOCTYPE html>")]).toEqual([404, true]);
  });
});
