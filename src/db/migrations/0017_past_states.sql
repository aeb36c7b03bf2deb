-- The states before the last calls of environments with a fault of the kind stale_read, as differences from their templates.
create table diorama.past_states (
  environment_id text not null references diorama.faults on delete cascade,
  call int not null, -- counted from 1 since the faults were set
  template_schema text not null,
  delta json not null,
  primary key (environment_id, call)
);
