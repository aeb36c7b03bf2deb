-- The tables of one mail environment. Columns are named as the API names its fields. Its address identifies a mailbox.

-- Numbers of history records and of messages. Those of seeds are below.
create sequence history_ids start 1000001;

-- Also addresses without a mailbox: groups, which have members, and addresses that bounce.
create table mailboxes (
  "emailAddress" text primary key,
  name text not null,
  type varchar(10) not null,
  members text[] not null,
  "historyId" bigint not null,
  "labelSequence" int not null,
  watch jsonb,
  vacation jsonb,
  "autoForwarding" jsonb,
  "forwardingAddresses" jsonb,
  "sendAs" jsonb,
  delegates jsonb,
  imap jsonb,
  pop jsonb,
  language jsonb
);

-- The text is stored twice: in columns, for searches and assertions, and in raw, as it was sent.
create table messages (
  mailbox text not null,
  id varchar(16) not null,
  "threadId" varchar(16) not null,
  "labelIds" text[] not null,
  "historyId" bigint not null,
  "internalDate" bigint not null,
  snippet text not null,
  "sizeEstimate" int not null,
  "isDelivered" boolean not null,
  "from" text not null,
  "to" text not null,
  cc text,
  bcc text,
  subject text not null,
  "messageId" text,
  "inReplyTo" text,
  body text not null,
  attachments jsonb not null,
  raw bytea not null,
  primary key (mailbox, id)
);
create index messages_by_thread on messages (mailbox, "threadId");
create index messages_by_message_id on messages (mailbox, "messageId");

create table drafts (
  mailbox text not null,
  id varchar(22) not null,
  "messageId" varchar(16) not null,
  primary key (mailbox, id)
);

-- Labels of the user. System labels are the same in every mailbox.
create table labels (
  mailbox text not null,
  id varchar(40) not null,
  name text not null,
  "messageListVisibility" text not null,
  "labelListVisibility" text not null,
  color jsonb,
  primary key (mailbox, id)
);

create table filters (
  mailbox text not null,
  id varchar(40) not null,
  criteria jsonb not null,
  action jsonb not null,
  primary key (mailbox, id)
);

create table history (
  mailbox text not null,
  id bigint not null,
  type varchar(20) not null,
  "messageId" varchar(16) not null,
  "threadId" varchar(16) not null,
  "labelIds" text[] not null,
  "messageLabelIds" text[] not null,
  primary key (mailbox, id)
);
