-- The tables of one chat environment. Columns are named as the API names its fields. The cost of an
-- environment is the cost of its relations: few tables, few indexes, and varchar where short columns avoid a TOAST table.
-- A small table has no index: its rows are identified by `id`, or else by all columns, and what must be unique in it is
-- checked under the lock of the workspace.
-- Times that decide an order are microseconds (`…_at`); the API's own fields are in seconds, as in the API.

create table teams (
  id varchar(16) not null,
  name text not null,
  domain text not null,
  email_domain text not null,
  url text not null,
  plan varchar(16) not null,
  -- The administrators' settings, named as in team.preferences.list …
  who_can_post_general varchar(8) not null,
  msg_edit_window_mins int not null, -- -1: messages can always be edited
  allow_message_deletion boolean not null,
  display_real_names boolean not null,
  disable_file_uploads varchar(16) not null,
  -- … and one that it leaves out: the plan's limit of messages.
  message_limit int,
  profile jsonb not null -- the custom profile fields: `fields` and `sections` of team.profile.get
);

create table users (
  id varchar(16) primary key,
  team_id varchar(16) not null,
  name text not null,
  deleted boolean not null,
  color text not null,
  real_name text not null,
  tz text not null,
  locale text not null,
  profile jsonb not null,
  is_admin boolean not null,
  is_owner boolean not null,
  is_primary_owner boolean not null,
  is_restricted boolean not null,
  is_ultra_restricted boolean not null,
  is_bot boolean not null,
  bot_id varchar(16),
  app_id varchar(16),
  home_tab_enabled boolean not null, -- of an app's bot user: whether it may publish home views
  presence varchar(4) not null, -- auto, away
  dnd_enabled boolean not null,
  dnd_start varchar(5) not null, -- do not disturb, every day between these hours of the user's zone
  dnd_end varchar(5) not null,
  dnd_ended_ts int not null, -- the session that lasts until then was ended early; 0: none
  snooze_endtime int not null, -- 0: not snoozing
  updated int not null
);

create table channels (
  id varchar(16) primary key,
  name text,
  is_channel boolean not null,
  is_group boolean not null,
  is_im boolean not null,
  is_mpim boolean not null,
  is_private boolean not null,
  is_general boolean not null,
  is_archived boolean not null,
  creator varchar(16) not null,
  created int not null,
  updated bigint not null,
  topic jsonb not null,
  purpose jsonb not null,
  previous_names jsonb not null,
  -- Of direct messages: the ids of their members, sorted. The same people always get the same conversation.
  member_key text
);
-- Names, and the members of direct messages, which are no names.
create unique index channels_name on channels ((coalesce(member_key, name)));

create table channel_members (
  channel_id varchar(16) not null,
  user_id varchar(16) not null,
  joined_at bigint not null,
  -- Where conversations.mark left it. Posting moves the mark too, but writes one row only: unread messages are counted
  -- from the later of this and the reader's own last message, unless that is older than the mark was set.
  last_read varchar(17) collate "C" not null,
  is_open boolean not null,
  marked_at varchar(17) collate "C", -- when conversations.mark moved the mark; null: never
  primary key (channel_id, user_id)
);
create index channel_members_user on channel_members (user_id);

create table messages (
  channel_id varchar(16) not null,
  ts varchar(17) collate "C" not null, -- fixed width, so that text order is time order
  thread_ts varchar(17) collate "C", -- of replies only; a root is identified by its replies
  subtype varchar(32),
  user_id varchar(16) not null,
  text text not null,
  bot_id varchar(16),
  app_id varchar(16),
  username text,
  icons jsonb,
  blocks jsonb,
  attachments jsonb,
  metadata jsonb,
  edited jsonb,
  extra jsonb, -- fields of some messages only: the topic of channel_topic, the inviter of channel_join, is_locked
  primary key (channel_id, ts)
);
create index messages_history on messages (channel_id, ts) where thread_ts is null or subtype = 'thread_broadcast';
create index messages_thread on messages (channel_id, thread_ts, ts) where thread_ts is not null;

create table reactions (
  channel_id varchar(16) not null,
  ts varchar(17) collate "C" not null,
  name varchar(100) not null,
  user_id varchar(16) not null,
  created_at bigint not null, -- emoji are listed in the order of their first use
  primary key (channel_id, ts, name, user_id)
);
-- reactions.list of a user.
create index reactions_user on reactions (user_id);

create table pins (
  channel_id varchar(16) not null,
  ts varchar(17) collate "C" not null,
  created_by varchar(16) not null,
  created_at bigint not null,
  primary key (channel_id, ts)
);

create table bookmarks (
  id varchar(16) not null,
  channel_id varchar(16) not null,
  title text not null,
  link text,
  emoji varchar(110),
  type varchar(16) not null,
  entity_id varchar(64),
  parent_id varchar(16),
  access_level varchar(16),
  rank varchar(16) collate "C" not null,
  date_created int not null,
  date_updated int not null,
  last_updated_by_user_id varchar(16) not null
);

create table stars (
  user_id varchar(16) not null,
  type varchar(8) not null, -- message, file, channel
  channel_id varchar(16) not null, -- '' for a file
  ts varchar(17) collate "C" not null, -- '' for a file or a channel
  file_id varchar(16) not null, -- '' for a message or a channel
  created_at bigint not null,
  primary key (user_id, channel_id, ts, file_id)
);

create table reminders (
  id varchar(16) not null,
  creator varchar(16) not null,
  user_id varchar(16) not null,
  text text not null,
  time int not null, -- of a recurring one: the next time
  complete_ts int not null, -- 0: not complete
  recurring boolean not null,
  recurrence jsonb
);

create table files (
  id varchar(16) primary key,
  user_id varchar(16) not null,
  name text not null,
  title text not null,
  mimetype text not null,
  filetype varchar(32) not null,
  mode varchar(16) not null, -- hosted, snippet, external, quip (a canvas), tombstone
  size int not null,
  external_id varchar(255),
  external_url text,
  alt_txt text,
  preview text,
  lines int,
  public_url_shared boolean not null,
  upload_token varchar(32), -- while the upload is not complete: the secret of its address
  created_at bigint not null
);

-- Separate from files, so that a changed title does not rewrite the bytes.
create table file_contents (
  file_id varchar(16) primary key,
  content bytea not null,
  plain_text text -- of text: for search
);

create table file_shares (
  file_id varchar(16) not null,
  channel_id varchar(16) not null,
  ts varchar(17) collate "C" not null,
  place int not null, -- in the list of the message's files
  primary key (channel_id, ts, file_id)
);

create table canvases (
  file_id varchar(16) primary key,
  channel_id varchar(16), -- of a channel's own canvas
  sections jsonb not null, -- Markdown in sections with ids
  updated_by varchar(16), -- null: nobody has changed it
  updated_at bigint
);

-- Access to canvases and lists.
create table file_access (
  file_id varchar(16) not null,
  entity_id varchar(16) not null, -- a user or a channel
  access_level varchar(8) not null
);

create table usergroups (
  id varchar(16) not null,
  name text not null,
  handle text not null,
  description text not null,
  prefs jsonb not null, -- default channels: `channels` and `groups`
  users jsonb not null, -- their ids, sorted
  date_create int not null,
  date_update int not null,
  date_delete int not null, -- 0: enabled
  created_by varchar(16) not null,
  updated_by varchar(16) not null,
  deleted_by varchar(16)
);

create table scheduled_messages (
  id varchar(16) not null,
  channel_id varchar(16) not null,
  user_id varchar(16) not null,
  post_at int not null,
  text text not null,
  thread_ts varchar(17) collate "C",
  reply_broadcast boolean not null,
  blocks jsonb,
  attachments jsonb,
  metadata jsonb,
  date_created int not null
);

create table ephemeral_messages (
  channel_id varchar(16) not null,
  message_ts varchar(17) collate "C" not null,
  user_id varchar(16) not null, -- the user who sees it
  author_id varchar(16) not null,
  text text not null,
  thread_ts varchar(17) collate "C",
  username text,
  icons jsonb,
  blocks jsonb,
  attachments jsonb,
  primary key (channel_id, message_ts)
);

create table views (
  id varchar(16) not null,
  type varchar(16) not null, -- home, modal, workflow_step
  user_id varchar(16) not null, -- the user who sees it
  app_id varchar(16) not null,
  bot_id varchar(16),
  external_id varchar(255),
  trigger_id varchar(255),
  callback_id varchar(255) not null,
  private_metadata text not null,
  title jsonb,
  submit jsonb,
  close jsonb,
  blocks jsonb not null,
  clear_on_close boolean not null,
  notify_on_close boolean not null,
  submit_disabled boolean not null,
  hash varchar(32) not null,
  previous_view_id varchar(16),
  root_view_id varchar(16) not null,
  created_at bigint not null
);

create table calls (
  id varchar(16) not null,
  created_by varchar(16) not null,
  external_unique_id text not null,
  external_display_id text,
  join_url text not null,
  desktop_app_join_url text,
  title text,
  users jsonb not null,
  date_start int not null,
  date_end int, -- null while it lasts
  duration int
);

create table lists (
  id varchar(16) not null,
  user_id varchar(16) not null,
  name text not null,
  description_blocks jsonb,
  schema jsonb not null,
  todo_mode boolean not null,
  created_at bigint not null
);

create table list_items (
  list_id varchar(16) not null,
  id varchar(16) not null,
  parent_item_id varchar(16),
  fields jsonb not null,
  archived boolean not null,
  created_by varchar(16) not null,
  updated_by varchar(16) not null,
  created_at bigint not null,
  updated_timestamp int not null,
  primary key (list_id, id)
);

-- Drafts of messages. The Web API does not know them: tools of MCP leave and send them.
create table drafts (
  id varchar(16) not null,
  user_id varchar(16) not null,
  channel_id varchar(16) not null,
  thread_ts varchar(17) collate "C" not null, -- '' for a draft outside threads
  text text not null, -- Markdown
  created_at bigint not null
);

-- Custom emoji.
create table emoji (
  name varchar(100) not null,
  url varchar(300) not null -- or `alias:` and the name of another one
);

-- Values that methods only store and read back: assistant threads, agent sessions, featured workflows, …
create table records (
  type varchar(40) not null,
  id varchar(100) not null,
  data jsonb not null,
  primary key (type, id)
);
