-- Bodies of calls that arrive in several requests. A table that is not in the log costs no write-ahead log for bytes that
-- are written a second time when the call is made; after a crash of Postgres, clients begin their uploads again.
create unlogged table diorama.uploads (
  upload_id text primary key,
  environment_id text not null,
  method text not null,
  path text not null,
  content_type text not null,
  fields text not null,
  announced int8,
  received int8 not null default 0,
  is_performing boolean not null default false,
  answer text,
  created_at timestamptz not null default now()
);
create index uploads_environment on diorama.uploads (environment_id);

create unlogged table diorama.upload_pieces (
  upload_id text not null references diorama.uploads on delete cascade,
  start int8 not null,
  bytes bytea not null,
  primary key (upload_id, start)
);
