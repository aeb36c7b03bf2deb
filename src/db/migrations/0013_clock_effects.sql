-- Net changes by the environment's clock, which the diff leaves out. Null: none.
alter table diorama.runs add column clock_changes json;

-- The same while snapshots are compared: each row before and after them, with every column as text. `is_copy`: the whole
-- state, while the clock is being moved.
create table diorama.snapshot_clock (
  run_id text not null references diorama.runs on delete cascade,
  table_name text not null,
  key text[] not null,
  is_copy boolean not null,
  before text[],
  after text[],
  primary key (run_id, table_name, key, is_copy)
);
