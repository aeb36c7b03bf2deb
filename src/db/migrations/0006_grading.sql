-- Why a run has no verdict of its agent's, or ended in an unusual way. Its evidence is kept beside the diff, so that the
-- diff can be graded again.
alter table diorama.runs
  add column cause text check (
    cause in ('capture_lost', 'environment_expired', 'environment_deleted', 'server_error', 'reset')
  ),
  -- For callers: {"agent": …, "model": …}.
  add column labels jsonb not null default '{}';
create index runs_labels on diorama.runs using gin (labels jsonb_path_ops) where labels <> '{}';
update diorama.runs set cause = case
    when failures ->> 0 = 'run abandoned: environment expired' then 'environment_expired'
    when failures ->> 0 = 'run abandoned: environment deleted' then 'environment_deleted'
    when failures ->> 0 like 'run abandoned: %' then 'server_error'
    else 'capture_lost'
  end
  where status = 'failed' and explanations is null;

-- Verdicts on the stored diff of a run, after its first one.
create table diorama.evaluations (
  evaluation_id text primary key,
  run_id text not null references diorama.runs on delete cascade,
  created_at timestamptz not null default now(),
  test_id text, -- null: the expectation was given in the call
  expected json not null,
  passed boolean not null,
  score json not null,
  failures json not null,
  explanations json not null
);
create index evaluations_newest on diorama.evaluations (run_id, created_at desc, evaluation_id desc);
