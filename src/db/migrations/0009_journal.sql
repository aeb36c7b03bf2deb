-- The journal of a run: which calls were made during it.
alter table diorama.runs
  add column journal text not null default 'off' check (journal in ('off', 'calls', 'full')),
  -- By the id of a call: the numbers of its events. Known when the run has ended.
  add column call_changes json,
  -- The calls that wrote, as the log names them; null once the journal has them all.
  add column call_marks json;
create index runs_of_environment on diorama.runs (environment_id, started_at desc);

-- Calls as the servers append them: each row is a batch of one server.
create table diorama.calls (
  run_id text not null references diorama.runs on delete cascade,
  batch bigint not null generated always as identity,
  lines json not null,
  line_count int not null,
  -- Calls that this server left out: there were too many.
  dropped int not null default 0,
  -- Of each line, from 1. Null: not numbered yet. 0: the same call as the line of another row.
  numbers int[] not null default '{}',
  first_number int,
  last_number int,
  is_numbered boolean not null default false,
  primary key (run_id, batch)
);
create index calls_unnumbered on diorama.calls (run_id) where not is_numbered;
create index calls_numbered on diorama.calls (run_id, last_number);
