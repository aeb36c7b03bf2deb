-- Actions of counterparts that wait for the clock of their environment.
create table diorama.pending_actions (
  environment_id text not null references diorama.counterparts on delete cascade,
  seq int8 generated always as identity,
  rule int4 not null, -- its place in the rules of the environment
  due int8 not null, -- milliseconds since 1970, by the clock of the environment
  trigger_row json not null, -- what the rule takes from the row that set it off
  wakes_at timestamptz, -- when that is in real time; null: the clock moves only with calls
  primary key (environment_id, due, seq)
);
create index pending_actions_waking on diorama.pending_actions (wakes_at) where wakes_at is not null;
