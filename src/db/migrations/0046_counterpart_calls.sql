-- Rules may also be set off by calls of the agent: a change or a call.
alter table diorama.counterpart_changes
  alter column table_name drop not null,
  add column call json; -- null: a change
