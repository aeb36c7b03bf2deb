/** Events of files: who learns that one exists, is shared, changes or is gone. */
import { expect, test } from "bun:test";
import { AGENT, BOT, GENERAL, JOHN, type Scene, useScenes } from "../scene";
import { MEMBER, OUTSIDER, observe, onlyOf, typesOf } from "./observe";

const newScene = useScenes();
const NOWHERE = "its bot is in no channel with the file";
const NOT_IN = "its bot is not in the channel";

async function upload({ john }: Pick<Scene, "john">, more: object = {}): Promise<string> {
  const answer: any = await john.files.uploadV2({
    filename: "a.txt",
    content: "text",
    ...more,
  } as never);
  return answer.files[0].files[0].id;
}

test("a file in a public channel is created, public and shared", async () => {
  const scene = await newScene();
  const seen = await observe(scene);
  let id = "";

  const found = await seen(async () => {
    id = await upload(scene, { channel_id: GENERAL });
  });

  expect(typesOf(found)).toEqual([
    "file_created",
    "message.channels",
    "file_public",
    "file_shared",
  ]);
  const common = { file_id: id, user_id: JOHN, file: { id } };
  expect(onlyOf(found, "file_created").event).toMatchObject(common);
  expect(onlyOf(found, "file_public").event).toMatchObject(common);
  expect(onlyOf(found, "file_shared").event).toMatchObject({ ...common, channel_id: GENERAL });
  expect(onlyOf(found, "file_created").missed).toEqual({ [OUTSIDER.id]: NOWHERE });
  expect(onlyOf(found, "file_shared").missed).toEqual({ [OUTSIDER.id]: NOT_IN });
});

test("a file that is shared nowhere is known to its owner's app", async () => {
  const scene = await newScene();
  const seen = await observe(scene);

  const found = await seen(() => upload(scene));
  const own = await seen(() => upload({ john: scene.bot }));

  expect(typesOf(found)).toEqual(["file_created"]);
  expect(found[0]?.missed).toEqual({ [MEMBER.id]: NOWHERE, [OUTSIDER.id]: NOWHERE });
  expect(own[0]?.missed).toEqual({ [OUTSIDER.id]: NOWHERE });
});

test("a file in a private channel does not become public", async () => {
  const scene = await newScene();
  const { john } = scene;
  const { channel } = await john.conversations.create({ name: "secret", is_private: true });
  const seen = await observe(scene);

  const found = await seen(() => upload(scene, { channel_id: channel?.id }));

  expect(typesOf(found)).toEqual(["file_created", "message.groups", "file_shared"]);
});

test("a file is published, taken back, and deleted", async () => {
  const scene = await newScene();
  const { john } = scene;
  const id = await upload(scene, { channel_id: GENERAL });
  const seen = await observe(scene);

  const shared = await seen(() => john.files.sharedPublicURL({ file: id }));
  const revoked = await seen(() => john.files.revokePublicURL({ file: id }));
  const deleted = await seen(() => john.files.delete({ file: id }));

  expect(typesOf(shared)).toEqual(["file_public"]);
  expect(typesOf(revoked)).toEqual(["file_change"]);
  expect(typesOf(deleted)).toEqual(["file_deleted"]);
  expect(deleted[0]?.event).toMatchObject({ file_id: id, channel_ids: [GENERAL] });
  expect(deleted[0]?.missed).toEqual({ [OUTSIDER.id]: NOWHERE });
});

test("a message loses a file", async () => {
  const scene = await newScene();
  const { john } = scene;
  const [kept, lost] = [await upload(scene), await upload(scene)];
  const { ts = "" } = await john.chat.postMessage({ channel: GENERAL, text: "files" });
  await john.chat.update({ channel: GENERAL, ts, text: "files", file_ids: [kept, lost] } as never);
  const seen = await observe(scene);

  const found = await seen(() =>
    john.chat.update({ channel: GENERAL, ts, text: "file", file_ids: [kept] } as never),
  );

  expect(onlyOf(found, "file_unshared").event).toMatchObject({
    file_id: lost,
    user_id: JOHN,
    channel_id: GENERAL,
  });
  const { message, previous_message: previous } = onlyOf(found, "message.channels").event;
  const ids = ({ files }: any) => files.map((file: any) => file.id);
  expect([ids(message), ids(previous)]).toEqual([[kept], [kept, lost]]);
});

test("a remote file and a canvas change", async () => {
  const scene = await newScene();
  const { bot, agent } = scene;
  const seen = await observe(scene);

  const added = await seen(() =>
    bot.files.remote.add({
      external_id: "doc-1",
      external_url: "https://acme.test/1",
      title: "Doc",
    }),
  );
  const changed = await seen(() => bot.files.remote.update({ external_id: "doc-1", title: "New" }));
  let canvas = "";
  const created = await seen(async () => {
    const made: any = await agent.canvases.create({
      document_content: { type: "markdown", markdown: "# One" },
    } as never);
    canvas = made.canvas_id;
  });
  const edited = await seen(() =>
    agent.canvases.edit({
      canvas_id: canvas,
      changes: [
        {
          operation: "insert_at_end",
          document_content: { type: "markdown", markdown: "More" },
        },
      ],
    } as never),
  );

  expect([added, changed, created, edited].map(typesOf)).toEqual([
    ["file_created"],
    ["file_change"],
    ["file_created"],
    ["file_change"],
  ]);
  expect(added[0]?.event.user_id).toBe(BOT);
  expect(edited[0]?.event).toMatchObject({ file_id: canvas, user_id: AGENT, file: { id: canvas } });
});
