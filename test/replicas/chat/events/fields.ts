/** The fields that the official clients know of each event, beside `type` and `event_ts`. */
const MESSAGE =
  "channel user text ts channel_type team blocks client_msg_id thread_ts parent_user_id bot_id app_id bot_profile files attachments metadata edited upload display_as_bot username icons subtype root streaming_state mrkdwn hidden message previous_message deleted_ts topic purpose name old_name inviter";
const PIN = "user channel_id item item_user pin_count pinned_info";
const METADATA =
  "app_id bot_id user_id team_id channel_id metadata previous_metadata message_ts deleted_ts";
const FILE = "file_id user_id file";
const USER = "user cache_ts";

export const FIELDS: Readonly<Record<string, string>> = {
  "message.channels": MESSAGE,
  "message.groups": MESSAGE,
  "message.im": MESSAGE,
  "message.mpim": MESSAGE,
  app_mention:
    "channel user text ts team blocks client_msg_id thread_ts parent_user_id bot_id app_id bot_profile files attachments edited upload display_as_bot username subtype",
  link_shared: "channel is_bot_user_member user message_ts thread_ts links unfurl_id source",
  message_metadata_posted: METADATA,
  message_metadata_updated: METADATA,
  message_metadata_deleted: METADATA,
  reaction_added: "user reaction item_user item",
  reaction_removed: "user reaction item_user item",
  pin_added: PIN,
  pin_removed: `${PIN} has_pins`,
  star_added: "user item",
  star_removed: "user item",
  channel_created: "channel",
  channel_rename: "channel",
  channel_archive: "channel user is_moved",
  channel_unarchive: "channel user",
  channel_left: "channel actor_id",
  group_rename: "channel",
  group_archive: "channel user is_moved",
  group_unarchive: "channel actor_id",
  group_left: "channel actor_id",
  group_open: "user channel",
  group_close: "user channel",
  member_joined_channel: "user channel channel_type team inviter",
  member_left_channel: "user channel channel_type team",
  im_created: "user channel",
  im_open: "user channel",
  im_close: "user channel",
  file_created: FILE,
  file_public: FILE,
  file_shared: `${FILE} channel_id`,
  file_unshared: `${FILE} channel_id`,
  file_change: FILE,
  file_deleted: "file_id channel_ids",
  user_change: USER,
  user_profile_changed: USER,
  user_status_changed: USER,
  dnd_updated: "user dnd_status",
  dnd_updated_user: "user dnd_status",
  subteam_created: "subteam",
  subteam_updated: "subteam",
  subteam_members_changed:
    "subteam_id team_id date_previous_update date_update added_users added_users_count removed_users removed_users_count",
  subteam_self_added: "subteam_id",
  subteam_self_removed: "subteam_id",
  emoji_changed: "subtype name names value old_name new_name",
};
