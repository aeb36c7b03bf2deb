-- What a verdict says beside `passed` and `score`, and how the attempt ended.
alter table diorama.runs
  add column success boolean,
  add column reward double precision,
  add column unsafe json,
  add column undone integer,
  add column ending text check (ending in ('answered', 'crashed', 'timed_out', 'interrupted')),
  add column exit_code integer,
  -- Of an attempt that did not finish: the verdict on the state that it left.
  add column state_verdict json,
  drop constraint runs_cause_check,
  add constraint runs_cause_check check (
    cause in (
      'agent_limit', 'capture_lost', 'environment_expired', 'environment_deleted', 'interrupted',
      'server_error', 'reset'
    )
  );
alter table diorama.evaluations
  add column success boolean,
  add column reward double precision,
  add column unsafe json,
  add column undone integer,
  add column state_verdict json;
