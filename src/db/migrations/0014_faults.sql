-- The faults of environments that have any. A fork copies those of its parent.
create table diorama.faults (
  environment_id text primary key references diorama.environments on delete cascade,
  faults json not null,
  -- For each fault in order: the calls that reached it, and those that it was injected into.
  matched int8[] not null,
  injected int8[] not null
);
