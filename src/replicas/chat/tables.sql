-- The tables of one chat environment. Columns are named as the API names its fields. Ids are varchar, because a table
-- of short columns only needs no TOAST table, and an environment costs what its relations cost.

create table teams (
  id varchar(16) primary key,
  name text not null,
  domain text not null,
  email_domain text not null,
  url text not null
);

create table users (
  id varchar(16) primary key,
  team_id varchar(16) not null,
  name text not null unique,
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
  bot_id varchar(16) unique,
  app_id varchar(16),
  updated int not null
);

create table channels (
  id varchar(16) primary key,
  name text unique,
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
  member_key text unique
);

create table channel_members (
  channel_id varchar(16) not null,
  user_id varchar(16) not null,
  joined_at bigint not null, -- microseconds: members are listed in the order in which they joined
  last_read varchar(17) collate "C" not null,
  is_open boolean not null,
  primary key (channel_id, user_id)
);
create index channel_members_user on channel_members (user_id);

create table messages (
  channel_id varchar(16) not null,
  ts varchar(17) collate "C" not null, -- fixed width, so that text order is time order
  thread_ts varchar(17) collate "C", -- of replies only; a root is one because others name it
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
  client_msg_id varchar(36),
  extra jsonb, -- what only some subtypes have: the topic of channel_topic, the inviter of channel_join
  primary key (channel_id, ts)
);
create index messages_history on messages (channel_id, ts) where thread_ts is null or subtype = 'thread_broadcast';
create index messages_thread on messages (channel_id, thread_ts, ts) where thread_ts is not null;

create table reactions (
  channel_id varchar(16) not null,
  ts varchar(17) collate "C" not null,
  name varchar(100) not null,
  user_id varchar(16) not null,
  created_at bigint not null, -- microseconds: emoji are listed in the order of their first use
  primary key (channel_id, ts, name, user_id)
);
