-- What others than the agent change while snapshots are compared: each row before and after each of their steps, with every
-- column as text. In place of the rows of snapshot_clock that are no copies.
create table diorama.snapshot_steps (
  run_id text not null references diorama.runs on delete cascade,
  table_name text not null,
  key text[] not null,
  step int not null,
  actor text not null,
  before text[],
  after text[],
  primary key (run_id, table_name, key, step)
);
