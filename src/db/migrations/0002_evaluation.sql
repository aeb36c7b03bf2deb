-- Named groups of tests. Built-in ones (no user) come from seeds/suites.
create table diorama.suites (
  suite_id text primary key,
  name text not null,
  description text not null default '',
  service text not null,
  template_name text not null,
  acting_user_id text,
  visibility text not null check (visibility in ('public', 'private')),
  user_id text, -- null: built in
  content_hash text, -- of built-in ones
  created_at timestamptz not null default now()
);
create index suites_newest on diorama.suites (created_at desc, suite_id desc);

create table diorama.tests (
  test_id text primary key,
  suite_id text not null references diorama.suites on delete cascade,
  position bigint generated always as identity,
  name text not null,
  prompt text not null,
  expected_output json not null,
  template_name text, -- null: the suite's
  acting_user_id text -- null: the suite's
);
create index tests_of_suite on diorama.tests (suite_id, position);

-- What a template was built from, where that was a seed: the seed as it was given.
alter table diorama.templates add column seed json;
create index templates_newest on diorama.templates (created_at desc, template_id desc);

alter table diorama.runs
  add column test_id text,
  add column suite_id text,
  -- What the run is checked against: the test's expectation as it was when the run started.
  add column expected json,
  -- While it is evaluated: what the diff leaves out, and rows that may have stayed as they were.
  add column evidence json,
  add column standing json,
  add column explanations json,
  -- Its single changes in order, as far as they were kept.
  add column events json,
  drop constraint runs_status_check,
  -- evaluating: its diff is stored and its verdict is not yet; callers see it as running
  add constraint runs_status_check
    check (status in ('running', 'ending', 'evaluating', 'completed', 'passed', 'failed'));
create index runs_evaluating on diorama.runs (ended_at) where status = 'evaluating';
create index runs_of_suite on diorama.runs (suite_id, test_id, started_at desc) where suite_id is not null;
drop index diorama.runs_owner;
create index runs_newest on diorama.runs (user_id, started_at desc, run_id desc);
drop index diorama.environments_owner;
create index environments_newest on diorama.environments (user_id, created_at desc, environment_id desc);
