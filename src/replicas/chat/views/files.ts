import { createHash } from "node:crypto";
import { findType, PREVIEW_LINES } from "~/replicas/chat/filetypes";
import type { FileRow, Share } from "~/replicas/chat/store/files";
import { present, type Wire } from "~/replicas/chat/views/wire";

/** The address at which the caller reached this service: files can be fetched there. */
export type FileUrls = { readonly baseUrl: string };

export const seconds = (micros: string | number) => Math.floor(Number(micros) / 1_000_000);

/** The secret part of a public address: constant for a file, and not derivable from its id alone. */
export const publicSecret = (file: Pick<FileRow, "id" | "created_at">) =>
  createHash("sha256").update(`${file.id} ${file.created_at}`).digest("hex").slice(0, 10);

/** The last part of a file's address: ASCII, with an underscore for any other character. */
const slug = (name: string) =>
  name
    .toLowerCase()
    .replace(/[^a-z0-9._-]|^\.{1,2}$/gu, "_")
    .slice(0, 100) || "file";

/** `withShares`: includes where it is shared. Files inside messages leave this out. */
export function fileView(file: FileRow, { baseUrl }: FileUrls, withShares = true): Wire {
  if (file.mode === "tombstone") return { id: file.id, mode: "tombstone" };
  const created = seconds(file.created_at);
  const path = `${file.team_id}-${file.id}`;
  const isExternal = file.mode === "external";
  const url = isExternal ? file.external_url : `${baseUrl}/files-pri/${path}/${slug(file.name)}`;
  const download = isExternal ? null : `${baseUrl}/files-pri/${path}/download/${slug(file.name)}`;
  const lines = file.lines ?? 0;
  return present({
    id: file.id,
    created,
    timestamp: created,
    name: file.name,
    title: file.title,
    mimetype: file.mimetype,
    filetype: file.filetype,
    pretty_type: findType(file.filetype)?.prettyType ?? "File",
    user: file.user_id,
    user_team: file.team_id,
    ...editing(file),
    size: file.size,
    mode: file.mode,
    is_external: isExternal,
    external_type: isExternal ? "app" : "",
    external_id: file.external_id,
    external_url: file.external_url,
    is_public: file.shares.some(({ is_private: isPrivate }) => !isPrivate),
    public_url_shared: file.public_url_shared,
    display_as_bot: false,
    username: "",
    url_private: url,
    url_private_download: download,
    permalink: `${file.team_url}files/${file.user_id}/${file.id}/${slug(file.name)}`,
    permalink_public: file.public_url_shared
      ? `${baseUrl}/files-pub/${path}-${publicSecret(file)}`
      : null,
    ...(file.mode === "snippet"
      ? {
          edit_link: `${file.team_url}files/${file.user_id}/${file.id}/${slug(file.name)}/edit`,
          preview: file.preview,
          lines,
          lines_more: Math.max(0, lines - PREVIEW_LINES),
          preview_is_truncated: lines > PREVIEW_LINES,
        }
      : {}),
    alt_txt: file.alt_txt,
    is_starred: file.is_starred,
    ...(withShares ? sharesView(file.shares, file.team_id) : {}),
    comments_count: 0,
    has_rich_preview: false,
    file_access: "visible",
    media_display_type: "unknown",
  });
}

/** Text that the service lets people edit, and who edited it last. */
function editing({ mode, user_id: owner, created_at: created, edited }: FileRow): Wire {
  if (mode !== "snippet" && mode !== "quip") return { editable: false };
  const editor = edited?.by ?? owner;
  return {
    editable: true,
    editor,
    last_editor: editor,
    updated: seconds(edited?.at ?? created),
  };
}

function sharesView(shares: readonly Share[], teamId: string): Wire {
  const ids = (wanted: (share: Share) => boolean) => [
    ...new Set(shares.filter(wanted).map(({ channel_id: channel }) => channel)),
  ];
  const grouped = (isPrivate: boolean) => {
    const channels = Object.groupBy(
      shares.filter((share) => share.is_private === isPrivate),
      ({ channel_id: channel }) => channel,
    );
    const entries = Object.entries(channels).map(([channel, of = []]) => [
      channel,
      of.map((share) => shareView(share, teamId)),
    ]);
    return entries.length > 0 ? Object.fromEntries(entries) : null;
  };
  return {
    channels: ids((share) => !share.is_private),
    groups: ids((share) => share.is_private && !share.is_im),
    ims: ids((share) => share.is_im),
    shares: present({ public: grouped(false), private: grouped(true) }),
  };
}

const shareView = (share: Share, teamId: string): Wire =>
  present({
    ts: share.ts,
    thread_ts: share.thread_ts,
    channel_name: share.channel_name ?? "",
    team_id: teamId,
    share_user_id: share.user_id,
  });
