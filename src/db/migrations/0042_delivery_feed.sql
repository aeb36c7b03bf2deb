-- The feed of events also shows deliveries: see migration 12.
alter table diorama.deliveries add column changed_in xid8;
alter table diorama.deliveries alter column changed_in set default pg_current_xact_id();
create index deliveries_changed on diorama.deliveries (changed_in);
create trigger note_change before update on diorama.deliveries for each row execute function diorama.note_change();
