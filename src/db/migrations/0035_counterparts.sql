-- The rules of simulated colleagues, and what they have done so far.
create table diorama.counterparts (
  environment_id text primary key references diorama.environments on delete cascade,
  rules json not null,
  progress json not null
);

-- The counterparts of the environments that are created for a test. Null: none.
alter table diorama.tests add column counterparts json;

-- Changes that may set off rules, until they are looked at. Rows are as Postgres prints them.
create table diorama.counterpart_changes (
  environment_id text not null,
  number int8 generated always as identity,
  transaction xid8 not null,
  table_name text not null,
  before text, -- null: inserted
  after text, -- null: deleted
  primary key (environment_id, number)
);

-- Notes a change of the environment that its argument names, unless somebody else than the agent acts. Of a transaction
-- that changes more than 32 MB, with a kilobyte for each row, only the first changes are noted.
create function diorama.note_for_counterparts() returns trigger language plpgsql as $$
declare
  old_row text;
  new_row text;
  bytes int8;
begin
  if coalesce(current_setting('diorama_note.actor', true), '') <> '' then return null; end if;
  if tg_op = 'UPDATE' and old is not distinct from new then return null; end if;
  if tg_op <> 'INSERT' then old_row := old::text; end if;
  if tg_op <> 'DELETE' then new_row := new::text; end if;
  bytes := coalesce(nullif(current_setting('diorama_note.bytes', true), ''), '0')::int8
    + 1000 + coalesce(octet_length(old_row), 0) + coalesce(octet_length(new_row), 0);
  if bytes > 33554432 then return null; end if;
  perform set_config('diorama_note.bytes', bytes::text, true);
  insert into diorama.counterpart_changes (environment_id, transaction, table_name, before, after)
  values (tg_argv[0], pg_current_xact_id(), tg_table_name, old_row, new_row);
  return null;
end
$$;
