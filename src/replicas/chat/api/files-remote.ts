import { Bytes, Cursor, List, Maybe, Text } from "~/replicas/chat/arguments";
import { ChatError } from "~/replicas/chat/errors";
import { findType, typeOfName } from "~/replicas/chat/filetypes";
import { newId } from "~/replicas/chat/ids";
import { type ChatCall, method } from "~/replicas/chat/method";
import { clampLimit, cut, decodeCursor, encodeCursor, LIMIT } from "~/replicas/chat/paging";
import { isPicture } from "~/replicas/chat/pictures";
import { PLAIN, send, withFreeTs } from "~/replicas/chat/posting";
import { requireActor, requireChannel, requireFile } from "~/replicas/chat/require";
import { buryFile, shareFiles } from "~/replicas/chat/store/files";
import {
  findByExternalId,
  insertRemote,
  listRemote,
  putRemoteContent,
  updateRemote,
} from "~/replicas/chat/store/files-remote";
import { fileView } from "~/replicas/chat/views/files";

const TITLE_MAX = 255;
const ID_MAX = 255;
const URL_MAX = 3_000;
const PREVIEW_BYTES_MAX = 1024 * 1024;
const PAGE_DEFAULT = 100;
const PAGE_MAX = 1_000;
const CHANNELS_MAX = 100;
const SECONDS_MAX = 2 ** 31 - 1;

const ABOUT_ARGS = {
  filetype: Maybe(Text()),
  preview_image: Maybe(Bytes("PNG, JPEG or GIF of at most 1 MiB.")),
  indexable_file_contents: Maybe(Bytes("Text that search finds the file by.")),
};
const WHICH_ARGS = {
  file: Maybe(Text("Id of the file.")),
  external_id: Maybe(Text("The app's own id, instead of file.")),
};

/** A remote file, named in one of two ways. */
async function requireRemote(call: ChatCall, given: { file?: string; external_id?: string }) {
  if (given.file && given.external_id) throw new ChatError("too_many_ids");
  if (!given.file && !given.external_id) throw new ChatError("invalid_args");
  const id = given.file || (await findByExternalId(call.session, given.external_id ?? ""));
  if (!id) throw new ChatError("file_not_found");
  const file = await requireFile(call, id);
  if (file.mode !== "external") throw new ChatError("file_not_found");
  return file;
}

async function requireOwnRemote(call: ChatCall, given: { file?: string; external_id?: string }) {
  const file = await requireRemote(call, given);
  if (file.user_id !== call.actor) throw new ChatError("file_not_found");
  return file;
}

const shown = async (call: ChatCall, id: string) => ({
  file: fileView(await requireFile(call, id), call),
});

function requireTitle(title: string, code: string): string {
  if (title.trim() === "" || title.length > TITLE_MAX) throw new ChatError(code);
  return title;
}

function requireUrl(url: string): string {
  if (url.length > URL_MAX || !/^https?:\/\//i.test(url) || !URL.canParse(url))
    throw new ChatError("invalid_url");
  return url;
}

type About = {
  filetype?: string;
  preview_image?: Uint8Array;
  indexable_file_contents?: Uint8Array;
};

function readAbout({ filetype, preview_image: preview, indexable_file_contents: contents }: About) {
  if (preview && preview.byteLength > PREVIEW_BYTES_MAX) throw new ChatError("too_large");
  if (preview && !isPicture(preview)) throw new ChatError("bad_image");
  if (filetype && !/^[a-z0-9_+-]{1,32}$/.test(filetype)) throw new ChatError("invalid_type");
  const type = filetype ? (findType(filetype) ?? typeOfName(`x.${filetype}`)) : undefined;
  return {
    filetype: filetype || null,
    mimetype: type?.mimetype ?? null,
    preview,
    text: contents && new TextDecoder().decode(contents).replaceAll("\0", ""),
  };
}

const readBound = (given: string | undefined, fallback: number) =>
  Math.min(Number(/^(\d{1,10})(?:\.\d*)?$/.exec(given ?? "")?.[1] ?? fallback), SECONDS_MAX);

export const filesRemote = [
  method("files.remote.add", {
    tier: 3,
    summary: "Adds a remote file.",
    args: { title: Text(), external_url: Text(), external_id: Text(), ...ABOUT_ARGS },
    async handle({ title, external_url: url, external_id: externalId, ...about }, call) {
      await requireActor(call);
      requireTitle(title, "bad_title");
      if (externalId.trim() === "" || externalId.length > ID_MAX)
        throw new ChatError("invalid_external_id");
      const { preview, text, filetype, mimetype } = readAbout(about);
      const id = newId(call.session, "F");
      await call.session.transaction(async (session) => {
        const added = await insertRemote(session, {
          id,
          user: call.actor,
          externalId,
          url: requireUrl(url),
          title,
          filetype: filetype ?? "remote",
          mimetype: mimetype ?? "application/octet-stream",
        });
        if (!added) throw new ChatError("invalid_external_id");
        if (preview || text !== undefined) await putRemoteContent(session, id, { preview, text });
      });
      return await shown(call, id);
    },
  }),

  method("files.remote.info", {
    tier: 3,
    summary: "Shows a remote file.",
    args: WHICH_ARGS,
    async handle(args, call) {
      return { file: fileView(await requireRemote(call, args), call) };
    },
  }),

  method("files.remote.list", {
    tier: 3,
    summary: "Lists remote files, newest first.",
    args: {
      channel: Maybe(Text("Only files that are shared in this channel.")),
      ts_from: Maybe(Text()),
      ts_to: Maybe(Text()),
      limit: LIMIT,
      cursor: Maybe(Cursor()),
    },
    async handle({ channel, ts_from: from, ts_to: to, limit, cursor }, call) {
      const offset = Number(decodeCursor(cursor, "offset", /^\d{1,9}$/) ?? 0);
      const size = clampLimit(limit, PAGE_DEFAULT, PAGE_MAX);
      if (channel) await requireChannel(call, channel);
      const rows = await listRemote(call.session, call.actor, {
        channel: channel || null,
        from: readBound(from, 0),
        to: readBound(to, SECONDS_MAX),
        offset,
        limit: size,
      });
      const { page, metadata } = cut(rows, size, () =>
        encodeCursor("offset", String(offset + size)),
      );
      return { files: page.map((file) => fileView(file, call)), ...metadata };
    },
  }),

  method("files.remote.update", {
    tier: 3,
    summary: "Changes a remote file.",
    args: { ...WHICH_ARGS, title: Maybe(Text()), external_url: Maybe(Text()), ...ABOUT_ARGS },
    async handle({ file, external_id: externalId, title, external_url: url, ...about }, call) {
      const { preview, text, filetype, mimetype } = readAbout(about);
      const { id } = await requireOwnRemote(call, {
        ...(file ? { file } : {}),
        ...(externalId ? { external_id: externalId } : {}),
      });
      await call.session.transaction(async (session) => {
        await updateRemote(session, id, {
          title: title === undefined ? null : requireTitle(title, "invalid_title"),
          url: url === undefined ? null : requireUrl(url),
          filetype,
          mimetype,
        });
        if (preview || text !== undefined) await putRemoteContent(session, id, { preview, text });
      });
      return await shown(call, id);
    },
  }),

  method("files.remote.remove", {
    tier: 3,
    summary: "Removes a remote file. Messages with it show a tombstone.",
    args: WHICH_ARGS,
    async handle(args, call) {
      const { id } = await requireOwnRemote(call, args);
      await buryFile(call.session, id);
      return {};
    },
  }),

  method("files.remote.share", {
    tier: 3,
    summary: "Shares a remote file in channels, by a message in each.",
    args: { channels: List(), ...WHICH_ARGS },
    async handle({ channels, ...which }, call) {
      const { id } = await requireRemote(call, which);
      const wanted = [...new Set(channels)];
      if (wanted.length === 0 || wanted.length > CHANNELS_MAX) throw new ChatError("invalid_args");
      await withFreeTs(() =>
        call.session.transaction(async (session) => {
          for (const channel of wanted) {
            const message = { ...PLAIN, text: "", channel, user: call.actor };
            const { ts } = await send(session, message);
            await shareFiles(session, [id], channel, ts);
          }
        }),
      );
      return await shown(call, id);
    },
  }),
];
