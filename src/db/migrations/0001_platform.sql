-- Keys. A key itself is never stored, only the SHA-256 of it.
create table diorama.api_keys (
  key_id text primary key,
  key_hash bytea not null unique,
  user_id text not null,
  name text not null default '',
  plan text not null default 'free' check (plan in ('free', 'pro', 'enterprise')),
  created_at timestamptz not null default now(),
  expires_at timestamptz,
  revoked_at timestamptz
);

-- Used-up units of a limit: `kind` is what is counted, `window_start` the hour or day it is counted in.
create table diorama.usage (
  key_id text not null,
  kind text not null,
  window_start timestamptz not null,
  used int not null,
  primary key (key_id, kind, window_start)
);

-- A saved state. Its rows live in `schema_name` and are never written again.
create table diorama.templates (
  template_id text primary key,
  name text not null,
  service text not null,
  description text not null default '',
  visibility text not null check (visibility in ('public', 'private')),
  user_id text, -- null: built in
  schema_name text not null unique,
  content_hash text not null,
  created_at timestamptz not null default now()
);
create unique index templates_public_name on diorama.templates (name) where visibility = 'public';
create unique index templates_own_name on diorama.templates (user_id, name);

-- Every schema that was cloned from a template and still exists.
create table diorama.schemas (
  schema_name text primary key,
  template_schema text not null,
  -- ready: equals its template, waits in the pool; claimed: an environment lives in it; used: to be recycled
  state text not null check (state in ('ready', 'claimed', 'used')),
  -- Rows that a later transaction wrote differ from the template.
  fresh_xid bigint not null,
  -- Of its catalog entries: a schema that was altered is not recycled.
  fingerprint text not null,
  changed_at timestamptz not null default now()
);
create index schemas_ready on diorama.schemas (template_schema) where state = 'ready';
create index schemas_used on diorama.schemas (changed_at) where state = 'used';

create table diorama.environments (
  environment_id text primary key,
  user_id text not null,
  key_id text not null,
  service text not null,
  template_name text not null,
  schema_name text not null,
  acting_user_id text not null,
  token_hash bytea not null,
  created_at timestamptz not null default now(),
  expires_at timestamptz not null,
  deleted_at timestamptz
);
create index environments_live on diorama.environments (expires_at) where deleted_at is null;
create index environments_owner on diorama.environments (user_id, created_at desc, environment_id);

create table diorama.runs (
  run_id text primary key,
  environment_id text not null,
  schema_name text not null,
  user_id text not null,
  before_snapshot text not null,
  -- log: between two marks in the write-ahead log; snapshot: by comparing copies
  capture text not null check (capture in ('log', 'snapshot')),
  -- ending: its end is marked and its result is not stored yet; callers see it as running
  status text not null check (status in ('running', 'ending', 'completed', 'passed', 'failed')),
  seen boolean not null default false, -- the leader has read the start mark
  started_at timestamptz not null default now(),
  ended_at timestamptz,
  passed boolean,
  score json,
  failures json not null default '[]',
  diff json
);
-- One running run per environment, whatever the number of servers.
create unique index runs_running on diorama.runs (environment_id) where status = 'running';
create index runs_active on diorama.runs (started_at) where status in ('running', 'ending');
create index runs_owner on diorama.runs (user_id, started_at desc, run_id);

-- The state before a run, where the log is not used: what each table looked like, and its rows with every
-- column as text.
create table diorama.snapshots (
  run_id text not null references diorama.runs on delete cascade,
  table_name text not null,
  columns text[] not null,
  types text[] not null,
  key text[] not null,
  primary key (run_id, table_name)
);
create table diorama.snapshot_rows (
  run_id text not null,
  table_name text not null,
  key text[] not null,
  row text[] not null,
  foreign key (run_id, table_name) references diorama.snapshots on delete cascade
);
create index snapshot_rows_of_run on diorama.snapshot_rows (run_id, table_name);

-- In which order rows were first changed, which a comparison of two states cannot tell.
create table diorama.snapshot_order (
  run_id text not null references diorama.runs on delete cascade,
  table_name text not null,
  key text[] not null,
  position bigint generated always as identity,
  primary key (run_id, table_name, key)
);

-- Trigger of every table of an environment during such a run. Arguments: the run, then the key's columns.
create function diorama.note_order() returns trigger language plpgsql set search_path = '' as $$
declare
  image jsonb;
begin
  foreach image in array array[to_jsonb(old), to_jsonb(new)] loop
    if image is not null then
      insert into diorama.snapshot_order (run_id, table_name, key)
      select tg_argv[0], tg_table_name, array_agg(image ->> k.name order by k.place)
      from unnest(tg_argv[1:]) with ordinality as k (name, place)
      on conflict do nothing;
    end if;
  end loop;
  return null;
end
$$;

-- Who reads the log. An epoch begins with each leader; what an older one still writes is void.
create table diorama.capture (
  singleton boolean primary key default true check (singleton),
  epoch bigint not null default 0,
  state text not null default 'idle' check (state in ('idle', 'streaming')),
  instance text,
  slot_name text,
  plugin text,
  system_id text,
  timeline int,
  changed_at timestamptz not null default now()
);
insert into diorama.capture default values;
