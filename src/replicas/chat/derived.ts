/** Columns that the service computes. They are part of every diff; strict assertions ignore them. */
export const DERIVED: { readonly [table: string]: readonly string[] } = {
  users: ["updated"],
  channels: ["updated"],
  channel_members: ["joined_at", "marked_at"],
  messages: ["edited"],
  reactions: ["created_at"],
  pins: ["created_at"],
  stars: ["created_at"],
  files: ["created_at"],
  canvases: ["updated_by", "updated_at"],
  usergroups: ["date_update", "updated_by"],
  bookmarks: ["date_updated", "last_updated_by_user_id", "rank"],
  scheduled_messages: ["date_created"],
  views: ["hash", "created_at"],
  lists: ["created_at"],
  list_items: ["created_at", "updated_timestamp", "updated_by"],
  drafts: ["created_at"],
};
