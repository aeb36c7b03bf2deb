import { Cursor, Flag, List, Maybe, Text } from "~/replicas/chat/arguments";
import { ChatError } from "~/replicas/chat/errors";
import { FILE_KINDS, type FileKind } from "~/replicas/chat/filetypes";
import { method } from "~/replicas/chat/method";
import { LIMIT, PAGE_ARGS, readPage } from "~/replicas/chat/paging";
import {
  isAdmin,
  requireActor,
  requireChannel,
  requireFile,
  requireUser,
} from "~/replicas/chat/require";
import { findPlainText } from "~/replicas/chat/store/contents";
import { buryFile, listFiles } from "~/replicas/chat/store/files";
import { fileView } from "~/replicas/chat/views/files";
import { escaped } from "~/wire/markup";

const PAGE_DEFAULT = 100;
const SECONDS_MAX = 2 ** 31 - 1;

const isKind = (kind: string): kind is FileKind => Object.hasOwn(FILE_KINDS, kind);

/** The file kinds and modes that `types` selects. Nulls: everything. */
function readKinds(types: readonly string[] = []) {
  if (!types.every(isKind)) throw new ChatError("unknown_type");
  if (types.length === 0 || types.includes("all")) return { filetypes: null, modes: null };
  return {
    filetypes: types.flatMap((kind) => FILE_KINDS[kind as FileKind]),
    modes: types.includes("snippets") ? ["snippet"] : [],
  };
}

/** A bound in seconds; fractions are ignored, and so is anything that is not a time. */
const readBound = (given: string | undefined, fallback: number) =>
  Math.min(Number(/^(\d{1,10})(?:\.\d*)?$/.exec(given ?? "")?.[1] ?? fallback), SECONDS_MAX);

export const files = [
  method("files.info", {
    tier: 1,
    summary: "Shows one file, with its content if it is text.",
    args: {
      file: Text(),
      ...PAGE_ARGS,
      cursor: Maybe(Cursor("Ignored: files have no comments.")),
      limit: LIMIT,
    },
    async handle({ file: id, ...wanted }, call) {
      const page = readPage(wanted, PAGE_DEFAULT);
      const file = await requireFile(call, id, { deleted: "file_deleted", hidden: "not_visible" });
      const content = file.mode === "snippet" ? await findPlainText(call.session, id) : undefined;
      return {
        file: fileView(file, call),
        ...(content === undefined
          ? {}
          : { content, content_html: `<pre>${escaped(content)}</pre>` }),
        comments: [],
        ...page.answer(0),
      };
    },
  }),

  method("files.list", {
    tier: 1,
    summary: "Lists the files that the caller can see, newest first.",
    args: {
      user: Maybe(Text("Only files of this user.")),
      channel: Maybe(Text("Only files that are shared in this channel.")),
      ts_from: Maybe(Text("Only files created at this time or later.")),
      ts_to: Maybe(Text("Only files created at this time or earlier.")),
      types: Maybe(List("all, spaces, snippets, images, gdocs, zips, pdfs")),
      show_files_hidden_by_limit: Maybe(Flag("Ignored: nothing is hidden.")),
      ...PAGE_ARGS,
      team_id: Maybe(Text()),
    },
    async handle({ user, channel, ts_from: from, ts_to: to, types, ...wanted }, call) {
      const page = readPage(wanted, PAGE_DEFAULT);
      const kinds = readKinds(types);
      if (user) await requireUser(call, user);
      if (channel) await requireChannel(call, channel);
      const { files, total } = await listFiles(
        call.session,
        call.actor,
        {
          user: user || null,
          channel: channel || null,
          from: readBound(from, 0),
          to: readBound(to, SECONDS_MAX),
          ...kinds,
        },
        page.window,
      );
      const { paging } = page.answer(total);
      return { files: files.map((file) => fileView(file, call)), paging };
    },
  }),

  method("files.delete", {
    tier: 1,
    summary: "Deletes a file. Messages with it show a tombstone.",
    args: { file: Text() },
    async handle({ file: id }, call) {
      const file = await requireFile(call, id, { deleted: "file_deleted" });
      const { user } = await requireActor(call);
      if (file.user_id !== user.id && !isAdmin(user)) throw new ChatError("cant_delete_file");
      await buryFile(call.session, id);
      return {};
    },
  }),
];
