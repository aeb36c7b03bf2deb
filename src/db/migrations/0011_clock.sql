-- The day on which the story of a template plays. Null: real time.
alter table diorama.templates add column opens_at timestamptz;

alter table diorama.environments
  -- The clock; null: real time.
  add column clock json,
  -- The clock at the beginning, for a reset.
  add column first_clock json,
  -- Its random bytes derive from this and from the number of the call; null: they are random.
  add column seed text,
  -- Calls so far, counted only for a clock or seed that needs it.
  add column calls bigint not null default 0;

-- What the clock showed, and the calls so far.
alter table diorama.environment_snapshots
  add column clock json,
  add column calls bigint not null default 0;
