-- Rules may also be set off by what others than the agent change.
alter table diorama.counterpart_changes
  add column actor text, -- null: the agent
  add column changed_at int8; -- of others: milliseconds since 1970, by the clock of the environment

-- Notes a change of the environment that its first argument names. What others than the agent change is noted if the second
-- one is "any". Of a transaction that changes more than 32 MB, with a kilobyte for each row, only the first changes are noted.
create or replace function diorama.note_for_counterparts() returns trigger language plpgsql as $$
declare
  old_row text;
  new_row text;
  bytes int8;
  actor text := nullif(current_setting('diorama_note.actor', true), '');
  changed_at int8;
begin
  if actor is not null then
    if tg_argv[1] is distinct from 'any' then return null; end if;
    changed_at := floor((nullif(current_setting('diorama_note.cause', true), '')::json ->> 'micros')::numeric / 1000);
  end if;
  if tg_op = 'UPDATE' and old is not distinct from new then return null; end if;
  if tg_op <> 'INSERT' then old_row := old::text; end if;
  if tg_op <> 'DELETE' then new_row := new::text; end if;
  bytes := coalesce(nullif(current_setting('diorama_note.bytes', true), ''), '0')::int8
    + 1000 + coalesce(octet_length(old_row), 0) + coalesce(octet_length(new_row), 0);
  if bytes > 33554432 then return null; end if;
  perform set_config('diorama_note.bytes', bytes::text, true);
  insert into diorama.counterpart_changes (environment_id, transaction, table_name, before, after, actor, changed_at)
  values (tg_argv[0], pg_current_xact_id(), tg_table_name, old_row, new_row, actor, changed_at);
  return null;
end
$$;
