-- Environments whose changes are noted, for the events that follow from them. Others pay nothing: a trigger notes each
-- change of a row at the commit of the transaction that made it, and only tables of these environments have one.
create table diorama.outboxes (
  environment_id text primary key references diorama.environments on delete cascade,
  is_noting boolean not null default true, -- it has apps
  changes int8 not null default 0 -- so far. The lock on this row makes their numbers the order of commits.
) with (fillfactor = 50);

-- Deleted once their events are derived.
create table diorama.changes (
  environment_id text not null references diorama.outboxes on delete cascade,
  number int8 not null,
  transaction xid8 not null,
  table_name text not null,
  before jsonb, -- null: inserted
  after jsonb, -- null: deleted
  cause json, -- the call or the clock, and the environment's time in microseconds
  primary key (environment_id, number)
);

-- The apps that receive events.
create table diorama.event_apps (
  environment_id text not null references diorama.outboxes on delete cascade,
  app_id text not null,
  service text not null,
  user_id text not null,
  events text[] not null,
  scopes text[], -- null: all
  since int8 not null, -- the app came after this change
  leased_by text, -- the server that delivers to it
  leased_until timestamptz,
  primary key (environment_id, app_id)
);

-- How far the events of an environment are derived from its changes.
create table diorama.event_logs (
  environment_id text primary key references diorama.outboxes on delete cascade,
  change int8 not null default 0,
  events int8 not null default 0,
  bytes int8 not null default 0, -- of the events
  lost int8 not null default 0 -- changes whose events could not be derived
);

create table diorama.events (
  environment_id text not null references diorama.outboxes on delete cascade,
  number int8 not null,
  service text not null,
  type text not null,
  payload json, -- null: too large to be kept
  cause json,
  missed json not null, -- why an app does not receive it, by app
  primary key (environment_id, number)
);

create table diorama.deliveries (
  environment_id text not null,
  app_id text not null,
  number int8 not null,
  state text not null default 'pending' check (state in ('pending', 'sent', 'delivered', 'failed')),
  attempts jsonb not null default '[]',
  due_at int8 not null default 0, -- of a pending one: by the environment's clock, in milliseconds; 0: immediately
  sent_at timestamptz,
  primary key (environment_id, app_id, number),
  foreign key (environment_id, app_id) references diorama.event_apps on delete cascade
);
create index deliveries_open on diorama.deliveries (environment_id, app_id, state, number)
  where state in ('pending', 'sent');

-- Tickets of sockets that were used, until they expire.
create table diorama.used_tickets (
  ticket text primary key,
  expires_at timestamptz not null
);

-- Notes a change of the environment that its argument names. Fires at the commit. Beyond 100,000 changes it only counts
-- that there are more. The commit waits for the disk: an event must not report what a crash takes back.
create function diorama.note_row() returns trigger language plpgsql as $$
declare
  next int8;
begin
  if tg_op = 'UPDATE' and old is not distinct from new then return null; end if;
  update diorama.outboxes set changes = least(changes + 1, 100001)
  where environment_id = tg_argv[0] returning changes into next;
  if next is null or next > 100000 then return null; end if;
  insert into diorama.changes (environment_id, number, transaction, table_name, before, after, cause)
  values (
    tg_argv[0], next, pg_current_xact_id(), tg_table_name,
    case when tg_op <> 'INSERT' then to_jsonb(old) end, case when tg_op <> 'DELETE' then to_jsonb(new) end,
    nullif(current_setting('diorama_note.cause', true), '')::json
  );
  perform set_config('synchronous_commit', 'on', true), pg_notify('diorama_changes', tg_argv[0]);
  return null;
end
$$;
