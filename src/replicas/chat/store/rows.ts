/** The rows of each table of tables.sql. Written by `bun run rows`. */
export type Rows = {
  readonly teams: {
    readonly id: string;
    readonly name: string;
    readonly domain: string;
    readonly email_domain: string;
    readonly url: string;
    readonly plan: string;
    readonly who_can_post_general: string;
    readonly msg_edit_window_mins: number;
    readonly allow_message_deletion: boolean;
    readonly display_real_names: boolean;
    readonly disable_file_uploads: string;
    readonly message_limit: number | null;
    readonly profile: unknown;
  };
  readonly users: {
    readonly id: string;
    readonly team_id: string;
    readonly name: string;
    readonly deleted: boolean;
    readonly color: string;
    readonly real_name: string;
    readonly tz: string;
    readonly locale: string;
    readonly profile: unknown;
    readonly is_admin: boolean;
    readonly is_owner: boolean;
    readonly is_primary_owner: boolean;
    readonly is_restricted: boolean;
    readonly is_ultra_restricted: boolean;
    readonly is_bot: boolean;
    readonly bot_id: string | null;
    readonly app_id: string | null;
    readonly home_tab_enabled: boolean;
    readonly presence: string;
    readonly dnd_enabled: boolean;
    readonly dnd_start: string;
    readonly dnd_end: string;
    readonly dnd_ended_ts: number;
    readonly snooze_endtime: number;
    readonly updated: number;
  };
  readonly channels: {
    readonly id: string;
    readonly name: string | null;
    readonly is_channel: boolean;
    readonly is_group: boolean;
    readonly is_im: boolean;
    readonly is_mpim: boolean;
    readonly is_private: boolean;
    readonly is_general: boolean;
    readonly is_archived: boolean;
    readonly creator: string;
    readonly created: number;
    readonly updated: string;
    readonly topic: unknown;
    readonly purpose: unknown;
    readonly previous_names: unknown;
    readonly member_key: string | null;
  };
  readonly channel_members: {
    readonly channel_id: string;
    readonly user_id: string;
    readonly joined_at: string;
    readonly last_read: string;
    readonly is_open: boolean;
    readonly marked_at: string | null;
  };
  readonly messages: {
    readonly channel_id: string;
    readonly ts: string;
    readonly thread_ts: string | null;
    readonly subtype: string | null;
    readonly user_id: string;
    readonly text: string;
    readonly bot_id: string | null;
    readonly app_id: string | null;
    readonly username: string | null;
    readonly icons: unknown;
    readonly blocks: unknown;
    readonly attachments: unknown;
    readonly metadata: unknown;
    readonly edited: unknown;
    readonly extra: unknown;
  };
  readonly reactions: {
    readonly channel_id: string;
    readonly ts: string;
    readonly name: string;
    readonly user_id: string;
    readonly created_at: string;
  };
  readonly pins: {
    readonly channel_id: string;
    readonly ts: string;
    readonly created_by: string;
    readonly created_at: string;
  };
  readonly bookmarks: {
    readonly id: string;
    readonly channel_id: string;
    readonly title: string;
    readonly link: string | null;
    readonly emoji: string | null;
    readonly type: string;
    readonly entity_id: string | null;
    readonly parent_id: string | null;
    readonly access_level: string | null;
    readonly rank: string;
    readonly date_created: number;
    readonly date_updated: number;
    readonly last_updated_by_user_id: string;
  };
  readonly stars: {
    readonly user_id: string;
    readonly type: string;
    readonly channel_id: string;
    readonly ts: string;
    readonly file_id: string;
    readonly created_at: string;
  };
  readonly reminders: {
    readonly id: string;
    readonly creator: string;
    readonly user_id: string;
    readonly text: string;
    readonly time: number;
    readonly complete_ts: number;
    readonly recurring: boolean;
    readonly recurrence: unknown;
  };
  readonly files: {
    readonly id: string;
    readonly user_id: string;
    readonly name: string;
    readonly title: string;
    readonly mimetype: string;
    readonly filetype: string;
    readonly mode: string;
    readonly size: number;
    readonly external_id: string | null;
    readonly external_url: string | null;
    readonly alt_txt: string | null;
    readonly preview: string | null;
    readonly lines: number | null;
    readonly public_url_shared: boolean;
    readonly upload_token: string | null;
    readonly created_at: string;
  };
  readonly file_contents: {
    readonly file_id: string;
    readonly content: Uint8Array;
    readonly plain_text: string | null;
  };
  readonly file_shares: {
    readonly file_id: string;
    readonly channel_id: string;
    readonly ts: string;
    readonly place: number;
  };
  readonly canvases: {
    readonly file_id: string;
    readonly channel_id: string | null;
    readonly sections: unknown;
    readonly updated_by: string | null;
    readonly updated_at: string | null;
  };
  readonly file_access: {
    readonly file_id: string;
    readonly entity_id: string;
    readonly access_level: string;
  };
  readonly usergroups: {
    readonly id: string;
    readonly name: string;
    readonly handle: string;
    readonly description: string;
    readonly prefs: unknown;
    readonly date_create: number;
    readonly date_update: number;
    readonly date_delete: number;
    readonly created_by: string;
    readonly updated_by: string;
    readonly deleted_by: string | null;
  };
  readonly usergroup_users: {
    readonly usergroup_id: string;
    readonly user_id: string;
  };
  readonly scheduled_messages: {
    readonly id: string;
    readonly channel_id: string;
    readonly user_id: string;
    readonly post_at: number;
    readonly text: string;
    readonly thread_ts: string | null;
    readonly reply_broadcast: boolean;
    readonly blocks: unknown;
    readonly attachments: unknown;
    readonly metadata: unknown;
    readonly date_created: number;
  };
  readonly ephemeral_messages: {
    readonly channel_id: string;
    readonly message_ts: string;
    readonly user_id: string;
    readonly author_id: string;
    readonly text: string;
    readonly thread_ts: string | null;
    readonly username: string | null;
    readonly icons: unknown;
    readonly blocks: unknown;
    readonly attachments: unknown;
  };
  readonly views: {
    readonly id: string;
    readonly type: string;
    readonly user_id: string;
    readonly app_id: string;
    readonly bot_id: string | null;
    readonly external_id: string | null;
    readonly trigger_id: string | null;
    readonly callback_id: string;
    readonly private_metadata: string;
    readonly title: unknown;
    readonly submit: unknown;
    readonly close: unknown;
    readonly blocks: unknown;
    readonly clear_on_close: boolean;
    readonly notify_on_close: boolean;
    readonly submit_disabled: boolean;
    readonly hash: string;
    readonly previous_view_id: string | null;
    readonly root_view_id: string;
    readonly created_at: string;
  };
  readonly calls: {
    readonly id: string;
    readonly created_by: string;
    readonly external_unique_id: string;
    readonly external_display_id: string | null;
    readonly join_url: string;
    readonly desktop_app_join_url: string | null;
    readonly title: string | null;
    readonly users: unknown;
    readonly date_start: number;
    readonly date_end: number | null;
    readonly duration: number | null;
  };
  readonly lists: {
    readonly id: string;
    readonly user_id: string;
    readonly name: string;
    readonly description_blocks: unknown;
    readonly schema: unknown;
    readonly todo_mode: boolean;
    readonly created_at: string;
  };
  readonly list_items: {
    readonly list_id: string;
    readonly id: string;
    readonly parent_item_id: string | null;
    readonly fields: unknown;
    readonly archived: boolean;
    readonly created_by: string;
    readonly updated_by: string;
    readonly created_at: string;
    readonly updated_timestamp: number;
  };
  readonly drafts: {
    readonly id: string;
    readonly user_id: string;
    readonly channel_id: string;
    readonly thread_ts: string;
    readonly text: string;
    readonly created_at: string;
  };
  readonly emoji: {
    readonly name: string;
    readonly url: string;
  };
  readonly records: {
    readonly type: string;
    readonly id: string;
    readonly data: unknown;
  };
};
