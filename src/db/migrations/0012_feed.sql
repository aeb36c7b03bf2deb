-- The transaction that created a row or changed what callers see of it: the feed of events reads rows by it. A trigger
-- notes it, so that no statement has to. Null: before this migration.
alter table diorama.environments add column changed_in xid8;
alter table diorama.environments alter column changed_in set default pg_current_xact_id();
create index environments_changed on diorama.environments (changed_in);
alter table diorama.runs add column changed_in xid8;
alter table diorama.runs alter column changed_in set default pg_current_xact_id();
create index runs_changed on diorama.runs (changed_in);
alter table diorama.calls add column appended_in xid8;
alter table diorama.calls alter column appended_in set default pg_current_xact_id();
create index calls_appended on diorama.calls (appended_in);

create function diorama.note_change() returns trigger language plpgsql set search_path = '' as $$
begin
  new.changed_in := pg_catalog.pg_current_xact_id();
  return new;
end
$$;
create trigger note_change before update of expires_at, deleted_at, snapshot_id on diorama.environments
  for each row execute function diorama.note_change();
create trigger note_change before update of status on diorama.runs
  for each row execute function diorama.note_change();
