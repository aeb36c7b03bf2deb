import { beforeAll, describe, expect, test } from "bun:test";
import { type Environment, useScene } from "./scene";

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
