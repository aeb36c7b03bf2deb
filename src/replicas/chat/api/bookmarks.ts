import { Choice, Maybe, Text } from "~/replicas/chat/arguments";
import { ChatError } from "~/replicas/chat/errors";
import { newId } from "~/replicas/chat/ids";
import { type ChatCall, method } from "~/replicas/chat/method";
import { requireChannel, requireEmoji, requireMembership } from "~/replicas/chat/require";
import {
  type BookmarkRow,
  deleteBookmark,
  findBookmark,
  insertBookmark,
  listBookmarks,
  updateBookmark,
} from "~/replicas/chat/store/bookmarks";
import { present, type Wire } from "~/replicas/chat/views/wire";

const LINK_MAX = 3_000;
const ENTITY_ID = /^[A-Z][A-Z0-9]{1,30}$/;

const bookmarkView = (bookmark: BookmarkRow): Wire => ({
  id: bookmark.id,
  channel_id: bookmark.channel_id,
  title: bookmark.title,
  link: bookmark.link,
  emoji: bookmark.emoji ?? "",
  icon_url: null,
  type: bookmark.type,
  entity_id: bookmark.entity_id,
  date_created: bookmark.date_created,
  date_updated: bookmark.date_updated,
  rank: bookmark.rank,
  last_updated_by_user_id: bookmark.last_updated_by_user_id,
  last_updated_by_team_id: bookmark.team_id,
  shortcut_id: null,
  app_id: null,
  app_action_id: null,
  ...present({ parent_id: bookmark.parent_id, access_level: bookmark.access_level }),
});

function requireLink(link: string): string {
  if (
    link.length > LINK_MAX ||
    !/^(https?:\/\/|mailto:)[^\s<>]+$/i.test(link) ||
    !URL.canParse(link)
  )
    throw new ChatError("invalid_link");
  return link;
}

/** With colons, as bookmarks keep it. */
const requireColons = async (call: ChatCall, emoji: string) =>
  `:${await requireEmoji(call, emoji, "invalid_emoji")}:`;

async function requireBookmark({ session }: ChatCall, channel: string, id: string) {
  const bookmark = await findBookmark(session, channel, id);
  if (!bookmark) throw new ChatError("not_found");
  return bookmark;
}

export const bookmarks = [
  method("bookmarks.add", {
    tier: 2,
    summary: "Adds a link to the bookmarks of a channel.",
    args: {
      channel_id: Text(),
      title: Text(),
      type: Text("link"),
      link: Maybe(Text()),
      emoji: Maybe(Text("Emoji before the title.")),
      entity_id: Maybe(Text("Id of the bookmarked message or file.")),
      parent_id: Maybe(Text("Id of the parent bookmark.")),
      access_level: Maybe(Choice("read", "write")),
    },
    async handle(args, call) {
      const {
        channel_id: channel,
        title,
        type,
        emoji,
        entity_id: entityId,
        parent_id: parentId,
      } = args;
      await requireMembership(call, channel, "permission_denied");
      if (type !== "link") throw new ChatError("invalid_bookmark_type");
      const link = requireLink(args.link ?? "");
      if (entityId && !ENTITY_ID.test(entityId)) throw new ChatError("invalid_entity_id");
      if (parentId) await requireBookmark(call, channel, parentId);
      const id = newId(call.session, "Bk");
      const added = await insertBookmark(call.session, {
        id,
        channel,
        title,
        link,
        emoji: emoji ? await requireColons(call, emoji) : null,
        entityId: entityId || null,
        parentId: parentId || null,
        accessLevel: args.access_level || null,
        user: call.actor,
      });
      if (!added) throw new ChatError("too_many_bookmarks");
      return { bookmark: bookmarkView(await requireBookmark(call, channel, id)) };
    },
  }),

  method("bookmarks.edit", {
    tier: 2,
    summary: "Changes a bookmark.",
    args: {
      channel_id: Text(),
      bookmark_id: Text(),
      title: Maybe(Text()),
      link: Maybe(Text()),
      emoji: Maybe(Text("Empty: removes it.")),
    },
    async handle({ channel_id: channel, bookmark_id: id, title, link, emoji }, call) {
      await requireMembership(call, channel, "permission_denied");
      await requireBookmark(call, channel, id);
      const change = {
        title: title || null,
        link: link ? requireLink(link) : null,
        emoji: emoji ? await requireColons(call, emoji) : (emoji ?? null),
        user: call.actor,
      };
      if (!(await updateBookmark(call.session, channel, id, change)))
        throw new ChatError("not_found");
      return { bookmark: bookmarkView(await requireBookmark(call, channel, id)) };
    },
  }),

  method("bookmarks.list", {
    tier: 2,
    summary: "Lists the bookmarks of a channel in the order of their rank.",
    args: { channel_id: Text() },
    async handle({ channel_id: channel }, call) {
      await requireChannel(call, channel);
      const rows = await listBookmarks(call.session, channel);
      return { bookmarks: rows.map(bookmarkView) };
    },
  }),

  method("bookmarks.remove", {
    tier: 2,
    summary: "Removes a bookmark.",
    args: { channel_id: Text(), bookmark_id: Text(), quip_section_id: Maybe(Text()) },
    async handle({ channel_id: channel, bookmark_id: id }, call) {
      await requireMembership(call, channel, "permission_denied");
      if (!(await deleteBookmark(call.session, channel, id))) throw new ChatError("not_found");
      return {};
    },
  }),
];
