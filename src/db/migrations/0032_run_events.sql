-- The events of a run, with their deliveries as they were at its end: an environment's own go with it.
alter table diorama.events
  add column change int8, -- that it follows from, or that is the last one before it
  add column run_id text; -- of one that is raised by hand: the run that was running, or empty
alter table diorama.event_logs
  add column lost_at int8 not null default 0, -- the last change whose events could not be derived
  add column full_at int8; -- the change from which on payloads are not kept
create index events_change on diorama.events (environment_id, change);

alter table diorama.runs
  add column changes_from int8, -- of the environment, before the run; null: none were noted
  add column changes_to int8, -- the last one before its end
  -- limited: it made more than are kept; lost: some are missing for another reason; null: they are not kept yet
  add column events_kept text;
alter table diorama.runs add check (events_kept in ('whole', 'limited', 'lost')) not valid; -- all are null
create index runs_events_open on diorama.runs (environment_id) where changes_from is not null and events_kept is null;

create table diorama.run_events (
  run_id text not null references diorama.runs on delete cascade,
  number int8 not null,
  service text not null,
  type text not null,
  payload json,
  cause json,
  missed json not null,
  deliveries json, -- null: no app receives it
  primary key (run_id, number)
);
