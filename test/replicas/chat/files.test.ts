import { describe, expect, test } from "bun:test";
import { AGENT, GENERAL, RANDOM, ROBIN, refused, type Scene, useScenes, WELCOME } from "./scene";

const newScene = useScenes();

const PNG = Buffer.from("89504e470d0a1a0a0000000d49484452", "hex");

/** Uploads by the official client's helper. */
const upload = async ({ agent }: Scene, options: object): Promise<any> => {
  const answer: any = await agent.files.uploadV2(options as never);
  return answer.files.flatMap(({ files }: any) => files);
};

describe("an upload", () => {
  test("by the official client results in a message with the file", async () => {
    const scene = await newScene();
    const content = "one\ntwo\nthree\nfour\nfive\nsix";

    const [file] = await upload(scene, {
      channel_id: GENERAL,
      thread_ts: WELCOME,
      initial_comment: "Here & now",
      filename: "notes.txt",
      title: "Notes",
      content,
    });
    const { messages }: any = await scene.agent.conversations.replies({
      channel: GENERAL,
      ts: WELCOME,
    });

    expect(file).toMatchObject({
      name: "notes.txt",
      title: "Notes",
      mimetype: "text/plain",
      filetype: "text",
      pretty_type: "Plain Text",
      mode: "snippet",
      size: content.length,
      user: AGENT,
      is_public: true,
      channels: [GENERAL],
      groups: [],
      ims: [],
      preview: "one\ntwo\nthree\nfour\nfive",
      lines: 6,
      lines_more: 1,
      shares: { public: { [GENERAL]: [{ ts: messages[1].ts, thread_ts: WELCOME }] } },
    });
    expect(messages[1]).toMatchObject({
      text: "Here &amp; now",
      upload: true,
      files: [{ id: file.id, title: "Notes" }],
    });
    expect(await (await fetch(file.url_private)).text()).toBe(content);
  });

  test("of several files is one message, in the given order", async () => {
    const scene = await newScene();

    const files = await upload(scene, {
      channel_id: GENERAL,
      file_uploads: [
        { filename: "b.png", file: PNG, alt_text: "A picture" },
        { filename: "a.txt", content: "a" },
      ],
    });
    const [message] = (await scene.agent.conversations.history({ channel: GENERAL, limit: 1 }))
      .messages!;

    expect(files.map(({ name }: any) => name)).toEqual(["b.png", "a.txt"]);
    expect(files[0]).toMatchObject({ mimetype: "image/png", mode: "hosted", alt_txt: "A picture" });
    expect((message as any).files.map(({ name }: any) => name)).toEqual(["b.png", "a.txt"]);
    const bytes = await (await fetch(files[0].url_private_download)).arrayBuffer();
    expect(Buffer.from(bytes)).toEqual(PNG);
  });

  test.each([
    ["twice", "\r\n--b--\r\n\r\n--b--\r\n"],
    ["without a line end", "\r\n--b--"],
    ["before an epilogue", "\r\n--b--  \r\nnot --b-- part of the form"],
  ])("ends at the first closing boundary: one that is sent %s", async (_how, end) => {
    const { agent, url } = await newScene();
    const { upload_url: to = "", file_id: id = "" } = await agent.files.getUploadURLExternal({
      filename: "hello.txt",
      length: 5,
    });
    const head = '--b\r\nContent-Disposition: form-data; name="file"; filename="hello.txt"\r\n\r\n';

    const sent = await fetch(to, {
      method: "POST",
      headers: { "Content-Type": "multipart/form-data; boundary=b" },
      body: `${head}hello${end}`,
    });

    expect(await sent.text()).toBe("OK - 5");
    await agent.files.completeUploadExternal({ files: [{ id }] });
    const { file }: any = await agent.files.info({ file: id });
    expect(await (await fetch(file.url_private)).text()).toBe("hello");
    const called = await fetch(`${url}/api.test`, {
      method: "POST",
      headers: { "Content-Type": 'multipart/form-data; boundary="b"' },
      body: `--b\r\nContent-Disposition: form-data; name="text"\r\n\r\n--b--x${end}`,
    });
    expect(await called.json()).toMatchObject({ ok: true, args: { text: "--b--x" } });
  });

  test("without a destination stays with its owner", async () => {
    const scene = await newScene();

    const [{ id }] = await upload(scene, { filename: "a.txt", content: "a" });
    const others = await refused(scene.robin.files.info({ file: id }));
    const own = await scene.agent.files.info({ file: id });

    expect(others.error).toBe("not_visible");
    expect(own.file).toMatchObject({ id, is_public: false, channels: [] });
  });

  test.each([
    ["a raw body", { body: PNG, headers: { "Content-Type": "application/octet-stream" } }],
    ["a form with the file under any name", { body: form("file") }],
    ["a body without a type", { body: PNG }],
  ])("accepts %s, without a credential", async (_what, init) => {
    const { agent } = await newScene();
    const { upload_url: url = "", file_id: id = "" } = await agent.files.getUploadURLExternal({
      filename: "p.png",
      length: PNG.byteLength,
    });

    const sent = await fetch(url, { method: "POST", ...(init as RequestInit) });
    const { files }: any = await agent.files.completeUploadExternal({
      files: [{ id, title: "P" }],
      channels: `${GENERAL},${RANDOM}`,
    } as never);

    expect(sent.status).toBe(200);
    expect(await sent.text()).toBe(`OK - ${PNG.byteLength}`);
    expect(files).toMatchObject([
      { id, title: "P", size: PNG.byteLength, channels: [GENERAL, RANDOM] },
    ]);
  });

  test("needs the secret address, and ends when it is complete", async () => {
    const { agent, url } = await newScene();
    const { upload_url: address = "", file_id: id = "" } = await agent.files.getUploadURLExternal({
      filename: "a.txt",
      length: 1,
    });
    await fetch(address, { method: "POST", body: "a" });
    await agent.files.completeUploadExternal({ files: [{ id }] } as never);

    for (const to of [address, `${url}/upload/${id}/${"0".repeat(32)}`]) {
      const sent = await fetch(to, { method: "POST", body: "b" });
      expect(await sent.json()).toEqual({ ok: false, error: "file_not_found" });
    }
    expect((await agent.files.info({ file: id })).content).toBe("a");
  });
});

function form(name: string): FormData {
  const data = new FormData();
  data.append(name, new Blob([PNG]), "Untitled");
  return data;
}

test.each([
  ["ünï cödé (1).TXT", "_n__c_d___1_.txt"],
  ["日本 🎉.txt", "____.txt"],
  ["..", "_"],
  ["a/b\\c?d#e%20f.txt", "a_b_c_d_e_20f.txt"],
])("the addresses of %p are ASCII and serve its bytes", async (filename, slug) => {
  const scene = await newScene();
  const { file_id: id = "", upload_url: url = "" } = await scene.agent.files.getUploadURLExternal({
    filename,
    length: 5,
  });
  await fetch(url, { method: "POST", body: "bytes" });
  const { files }: any = await scene.agent.files.completeUploadExternal({
    files: [{ id, title: filename }],
    channel_id: GENERAL,
  });
  const { permalink, url_private: open, url_private_download: download, name } = files[0];

  expect(name).toBe(filename);
  for (const address of [permalink, open, download]) expect(address).toMatch(/^[!-~]+$/);
  expect(open).toEndWith(`/${slug}`);
  expect(await (await fetch(open)).text()).toBe("bytes");
  expect(await (await fetch(download)).text()).toBe("bytes");
});

describe("files.info", () => {
  test("shows the content of text, also as HTML", async () => {
    const scene = await newScene();
    const [{ id }] = await upload(scene, { filename: "a.html", content: "<b>hi</b>" });

    const answer = await scene.agent.files.info({ file: id });

    expect(answer).toMatchObject({
      content: "<b>hi</b>",
      content_html: "<pre>&lt;b&gt;hi&lt;/b&gt;</pre>",
      comments: [],
      paging: { total: 0, page: 1 },
    });
  });

  test("never serves a page that could run scripts in our origin", async () => {
    const scene = await newScene();
    const [{ url_private: url }] = await upload(scene, { filename: "a.html", content: "<script>" });

    const { headers } = await fetch(url);

    expect(headers.get("content-disposition")).toStartWith("attachment");
    expect(headers.get("content-security-policy")).toContain("sandbox");
    expect(headers.get("x-content-type-options")).toBe("nosniff");
  });
});

describe("files.list", () => {
  test("filters by owner, channel, time and type, newest first, page by page", async () => {
    const scene = await newScene();
    const { agent, robin, write } = scene;
    const [text] = await upload(scene, { channel_id: GENERAL, filename: "a.txt", content: "a" });
    const [image] = await upload(scene, { channel_id: RANDOM, filename: "b.png", file: PNG });
    await robin.files.uploadV2({ channel_id: GENERAL, filename: "c.pdf", file: PNG } as never);
    await write("files", "created_at = 1700000000000000", `id = '${text.id}'`);
    const names = async (args: object) =>
      (await agent.files.list(args)).files?.map(({ name }: any) => name);

    expect(await names({})).toEqual(["c.pdf", "b.png", "a.txt"]);
    expect(await names({ user: AGENT })).toEqual(["b.png", "a.txt"]);
    expect(await names({ user: ROBIN })).toEqual(["c.pdf"]);
    expect(await names({ channel: GENERAL })).toEqual(["c.pdf", "a.txt"]);
    expect(await names({ ts_to: "1700000000" })).toEqual(["a.txt"]);
    expect(await names({ ts_from: "1700000001" })).toEqual(["c.pdf", "b.png"]);
    expect(await names({ types: "images,snippets" })).toEqual(["b.png", "a.txt"]);
    expect(await names({ types: "pdfs" })).toEqual(["c.pdf"]);
    expect(await names({ count: 2, page: 2 })).toEqual(["a.txt"]);
    expect((await agent.files.list({ count: 2 })).paging).toEqual({
      count: 2,
      total: 3,
      page: 1,
      pages: 2,
    });
    expect(image.channels).toEqual([RANDOM]);
  });
});

describe("files.delete", () => {
  test("leaves a tombstone in messages, and no content", async () => {
    const scene = await newScene();
    const [file] = await upload(scene, { channel_id: GENERAL, filename: "a.txt", content: "a" });

    await scene.agent.files.delete({ file: file.id });
    const [message] = (await scene.agent.conversations.history({ channel: GENERAL, limit: 1 }))
      .messages!;

    expect((message as any).files).toEqual([{ id: file.id, mode: "tombstone" }]);
    expect((await fetch(file.url_private)).status).toBe(404);
    expect((await scene.agent.files.list({})).files).toEqual([]);
  });

  test("is allowed to an owner of the workspace", async () => {
    const scene = await newScene();
    const [file] = await upload(scene, { channel_id: GENERAL, filename: "a.txt", content: "a" });

    expect((await scene.john.files.delete({ file: file.id })).ok).toBe(true);
  });
});

test("chat.update replaces the files of a message", async () => {
  const scene = await newScene();
  const [one] = await upload(scene, { channel_id: GENERAL, filename: "1.txt", content: "1" });
  const [two] = await upload(scene, { filename: "2.txt", content: "2" });
  const ts = one.shares.public[GENERAL][0].ts;

  const { message }: any = await scene.agent.chat.update({
    channel: GENERAL,
    ts,
    file_ids: [two.id],
  } as never);

  expect(message.files.map(({ id }: any) => id)).toEqual([two.id]);
});
