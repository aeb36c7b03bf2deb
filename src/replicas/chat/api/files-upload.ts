/** Uploads in three steps: announce a file, send its bytes to the returned address, complete it. */

import { Json, List, Maybe, Text, Whole } from "~/replicas/chat/arguments";
import { contentColumns, MESSAGE_TEXT, readContent } from "~/replicas/chat/compose";
import { ChatError, invalidArguments } from "~/replicas/chat/errors";
import { findType, isRefused, typeOfName } from "~/replicas/chat/filetypes";
import { isChannelId, newId } from "~/replicas/chat/ids";
import { type ChatCall, method } from "~/replicas/chat/method";
import { PLAIN, readThreadTs, send, withFreeTs } from "~/replicas/chat/posting";
import {
  completeUploads,
  findFiles,
  insertFile,
  listUploads,
  shareFiles,
} from "~/replicas/chat/store/files";
import { findTeam } from "~/replicas/chat/store/team";
import { fileView } from "~/replicas/chat/views/files";
import { hexOf } from "~/source";

/** The maximum request body, less the framing of a multipart body. */
export const FILE_BYTES_MAX = 4 * 1024 * 1024 - 4096;
const STORAGE_BYTES_MAX = 256 * 1024 * 1024;
const ALT_TEXT = { max: 1_000, tooLong: "alt_txt_too_large" };
const FILES_MAX = 100;
const CHANNELS_MAX = 100;
const TOKEN_BYTES = 16;

type Wanted = { readonly id: string; readonly title: string | null };

/** `[{id, title}]`, as `files` has it. */
function readFiles(given: unknown): Wanted[] {
  const items = Array.isArray(given) ? given : [given];
  const files = items.map((item) => {
    const { id, title } = (item ?? {}) as { id?: unknown; title?: unknown };
    if (typeof id !== "string" || (title !== undefined && typeof title !== "string"))
      throw invalidArguments("must be a valid array of files [json-pointer:/files]");
    return { id, title: title || null };
  });
  if (files.length === 0 || files.length > FILES_MAX)
    throw invalidArguments(`must have 1 to ${FILES_MAX} items [json-pointer:/files]`);
  return [...new Map(files.map((file) => [file.id, file])).values()];
}

function readChannels({
  channel_id: channel,
  channels = [],
}: {
  channel_id?: string;
  channels?: readonly string[];
}): string[] {
  const wanted = [...new Set([...(channel ? [channel] : []), ...channels])];
  if (wanted.length > CHANNELS_MAX) throw new ChatError("channels_limit_exceeded");
  if (!wanted.every(isChannelId)) throw new ChatError("invalid_channel");
  return wanted;
}

/** Files that the caller has uploaded and not completed. */
async function requireUploads({ session, actor }: ChatCall, files: readonly Wanted[]) {
  const ids = files.map(({ id }) => id);
  const states = await listUploads(session, actor, ids);
  if (states.length < ids.length || !states.every((state) => state.is_own && state.is_uploaded))
    throw new ChatError("file_not_found");
  if (states.some((state) => state.is_complete)) throw new ChatError("file_update_failed");
}

export const filesUpload = [
  method("files.getUploadURLExternal", {
    tier: 1,
    summary: "Announces a file and returns the address for its upload.",
    limits: "A file has at most 4 MiB.",
    args: {
      filename: Maybe(Text()),
      length: Maybe(Whole("Size in bytes.", { minimum: 1, maximum: FILE_BYTES_MAX })),
      alt_text: Maybe(Text("Description of an image for people who cannot see it.", ALT_TEXT)),
      alt_txt: Maybe(Text("Alias of the previous argument.", ALT_TEXT)),
      snippet_type: Maybe(Text("Type of a snippet's text.")),
    },
    async handle(args, call) {
      const { filename: name, length: size, snippet_type: snippet } = args;
      if (!name || !size || size < 0) throw new ChatError("missing_argument");
      const alt = args.alt_txt ?? args.alt_text ?? null;
      const type = snippet ? findType(snippet) : typeOfName(name);
      if (!type) throw new ChatError("unknown_snippet_type");
      const { disable_file_uploads: uploads } = await findTeam(call.session);
      if (uploads === "disable_all") throw new ChatError("file_uploads_disabled");
      const isImage = type.mimetype.startsWith("image/");
      if (isRefused(name) || (uploads === "disable_all_except_images" && !isImage))
        throw new ChatError("file_type_not_allowed");
      if (size > FILE_BYTES_MAX) throw new ChatError("file_upload_size_restricted");
      const id = newId(call.session, "F");
      const token = hexOf(call.session.source, TOKEN_BYTES);
      const stored = await insertFile(
        call.session,
        {
          id,
          user_id: call.actor,
          name,
          title: name,
          mimetype: type.mimetype,
          filetype: type.filetype,
          mode: snippet ? "snippet" : "hosted",
          size,
          alt_txt: alt,
          upload_token: token,
        },
        STORAGE_BYTES_MAX,
      );
      if (!stored) throw new ChatError("storage_limit_reached");
      return { upload_url: `${call.baseUrl}/upload/${id}/${token}`, file_id: id };
    },
  }),

  method("files.completeUploadExternal", {
    tier: 1,
    summary: "Completes uploads and, given a channel, posts a message with the files.",
    args: {
      files: Json("invalid_arguments", "[{id, title}]"),
      channel_id: Maybe(Text()),
      channels: Maybe(List("Ids of several channels.")),
      thread_ts: Maybe(Text()),
      initial_comment: Maybe(Text("Text of the message.", MESSAGE_TEXT)),
      blocks: Maybe(Json("invalid_blocks", "Blocks of the message, instead of its text.")),
    },
    async handle(args, call) {
      const files = readFiles(args.files);
      const channels = readChannels(args);
      const threadTs = readThreadTs(args.thread_ts);
      const content = contentColumns(
        await readContent(call, {
          ...(args.initial_comment === undefined ? {} : { text: args.initial_comment }),
          blocks: args.blocks,
        }),
      );
      await requireUploads(call, files);
      const ids = files.map(({ id }) => id);
      await withFreeTs(() =>
        call.session.transaction(async (session) => {
          await completeUploads(session, files);
          for (const channel of channels) {
            const message = { ...PLAIN, ...content, threadTs, channel, user: call.actor };
            const { ts } = await send(session, message);
            await shareFiles(session, ids, channel, ts);
          }
        }),
      );
      const stored = await findFiles(call.session, call.actor, ids);
      return { files: stored.map((file) => fileView(file, call)) };
    },
  }),
];
