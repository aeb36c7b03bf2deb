-- The platform's schema. Renew it with: RENEW_SCHEMA=1 bun test test/db/schema.test.ts

create table diorama.api_keys (
  key_id text not null,
  key_hash bytea not null,
  user_id text not null,
  name text default ''::text not null,
  plan text default 'free'::text not null,
  created_at timestamp with time zone default now() not null,
  expires_at timestamp with time zone,
  revoked_at timestamp with time zone,
  constraint api_keys_key_hash_key UNIQUE (key_hash),
  constraint api_keys_pkey PRIMARY KEY (key_id),
  constraint api_keys_plan_check CHECK ((plan = ANY (ARRAY['free'::text, 'pro'::text, 'enterprise'::text])))
);

create table diorama.calls (
  run_id text not null,
  batch bigint generated always as identity not null,
  lines json not null,
  line_count integer not null,
  dropped integer default 0 not null,
  numbers integer[] default '{}'::integer[] not null,
  first_number integer,
  last_number integer,
  is_numbered boolean default false not null,
  appended_in xid8 default pg_current_xact_id(),
  dropped_own integer default 0 not null,
  ids text[],
  answered double precision[],
  called text[],
  outcomes text[],
  hashes text[],
  constraint calls_pkey PRIMARY KEY (run_id, batch),
  constraint calls_run_id_fkey FOREIGN KEY (run_id) REFERENCES diorama.runs(run_id) ON DELETE CASCADE
);

create table diorama.capture (
  singleton boolean default true not null,
  epoch bigint default 0 not null,
  state text default 'idle'::text not null,
  instance text,
  slot_name text,
  plugin text,
  system_id text,
  timeline integer,
  changed_at timestamp with time zone default now() not null,
  read_to pg_lsn,
  constraint capture_pkey PRIMARY KEY (singleton),
  constraint capture_singleton_check CHECK (singleton),
  constraint capture_state_check CHECK ((state = ANY (ARRAY['idle'::text, 'streaming'::text])))
);

create table diorama.changes (
  environment_id text not null,
  number bigint not null,
  transaction xid8 not null,
  table_name text not null,
  before jsonb,
  after jsonb,
  cause json,
  constraint changes_environment_id_fkey FOREIGN KEY (environment_id) REFERENCES diorama.outboxes(environment_id) ON DELETE CASCADE,
  constraint changes_pkey PRIMARY KEY (environment_id, number)
);

create table diorama.counterpart_changes (
  environment_id text not null,
  number bigint generated always as identity not null,
  transaction xid8 not null,
  table_name text,
  before text,
  after text,
  actor text,
  changed_at bigint,
  call json,
  constraint counterpart_changes_pkey PRIMARY KEY (environment_id, number)
);

create table diorama.counterparts (
  environment_id text not null,
  rules json not null,
  progress json not null,
  constraint counterparts_environment_id_fkey FOREIGN KEY (environment_id) REFERENCES diorama.environments(environment_id) ON DELETE CASCADE,
  constraint counterparts_pkey PRIMARY KEY (environment_id)
);

create table diorama.deliveries (
  environment_id text not null,
  app_id text not null,
  number bigint not null,
  state text default 'pending'::text not null,
  attempts jsonb default '[]'::jsonb not null,
  due_at bigint default 0 not null,
  sent_at timestamp with time zone,
  is_single boolean default false not null,
  repeats smallint default 0 not null,
  disconnects boolean default false not null,
  changed_in xid8 default pg_current_xact_id(),
  constraint deliveries_environment_id_app_id_fkey FOREIGN KEY (environment_id, app_id) REFERENCES diorama.event_apps(environment_id, app_id) ON DELETE CASCADE,
  constraint deliveries_pkey PRIMARY KEY (environment_id, app_id, number),
  constraint deliveries_state_check CHECK ((state = ANY (ARRAY['pending'::text, 'sent'::text, 'delivered'::text, 'failed'::text, 'blocked'::text]))) NOT VALID
);

create table diorama.environment_snapshots (
  snapshot_id text not null,
  family_id text not null,
  environment_id text not null,
  key_id text not null,
  parent_id text,
  name text,
  template_schema text not null,
  row_count integer not null,
  delta json not null,
  created_at timestamp with time zone default now() not null,
  clock json,
  calls bigint default 0 not null,
  at_call integer default 0 not null,
  actions bigint default 0 not null,
  constraint environment_snapshots_pkey PRIMARY KEY (snapshot_id)
);

create table diorama.environments (
  environment_id text not null,
  user_id text not null,
  key_id text not null,
  service text not null,
  template_name text not null,
  schema_name text not null,
  acting_user_id text not null,
  token_hash bytea not null,
  created_at timestamp with time zone default now() not null,
  expires_at timestamp with time zone not null,
  deleted_at timestamp with time zone,
  allow_impersonation boolean default false not null,
  family_id text,
  parent_environment_id text,
  snapshot_id text,
  clock json,
  first_clock json,
  seed text,
  calls bigint default 0 not null,
  changed_in xid8 default pg_current_xact_id(),
  at_call integer,
  members json,
  constraint environments_pkey PRIMARY KEY (environment_id)
);

create table diorama.evaluations (
  evaluation_id text not null,
  run_id text not null,
  created_at timestamp with time zone default now() not null,
  test_id text,
  expected json not null,
  passed boolean not null,
  score json not null,
  failures json not null,
  explanations json not null,
  success boolean,
  reward double precision,
  unsafe json,
  undone integer,
  state_verdict json,
  attack text,
  constraint evaluations_attack_check CHECK ((attack = ANY (ARRAY['resisted'::text, 'obeyed'::text]))),
  constraint evaluations_pkey PRIMARY KEY (evaluation_id),
  constraint evaluations_run_id_fkey FOREIGN KEY (run_id) REFERENCES diorama.runs(run_id) ON DELETE CASCADE
);

create table diorama.event_apps (
  environment_id text not null,
  app_id text not null,
  service text not null,
  user_id text not null,
  events text[] not null,
  scopes text[],
  since bigint not null,
  leased_by text,
  leased_until timestamp with time zone,
  request_url text,
  base_url text,
  verified_url text,
  problem text,
  asked_at timestamp with time zone,
  webhook json,
  domains text[] default '{}'::text[] not null,
  constraint event_apps_environment_id_fkey FOREIGN KEY (environment_id) REFERENCES diorama.outboxes(environment_id) ON DELETE CASCADE,
  constraint event_apps_pkey PRIMARY KEY (environment_id, app_id)
);

create table diorama.event_logs (
  environment_id text not null,
  change bigint default 0 not null,
  events bigint default 0 not null,
  bytes bigint default 0 not null,
  lost bigint default 0 not null,
  lost_at bigint default 0 not null,
  full_at bigint,
  webhooks_read boolean default false not null,
  constraint event_logs_environment_id_fkey FOREIGN KEY (environment_id) REFERENCES diorama.outboxes(environment_id) ON DELETE CASCADE,
  constraint event_logs_pkey PRIMARY KEY (environment_id)
);

create table diorama.events (
  environment_id text not null,
  number bigint not null,
  service text not null,
  type text not null,
  payload json,
  cause json,
  missed json not null,
  change bigint,
  run_id text,
  answers smallint default 0 not null,
  constraint events_environment_id_fkey FOREIGN KEY (environment_id) REFERENCES diorama.outboxes(environment_id) ON DELETE CASCADE,
  constraint events_pkey PRIMARY KEY (environment_id, number)
);

create table diorama.faults (
  environment_id text not null,
  faults json not null,
  matched bigint[] not null,
  injected bigint[] not null,
  constraint faults_environment_id_fkey FOREIGN KEY (environment_id) REFERENCES diorama.environments(environment_id) ON DELETE CASCADE,
  constraint faults_pkey PRIMARY KEY (environment_id)
);

create table diorama.hidden_templates (
  schema_name text not null,
  base_schema text not null,
  family_id text not null,
  key_id text not null,
  created_at timestamp with time zone default now() not null,
  constraint hidden_templates_pkey PRIMARY KEY (schema_name)
);

create table diorama.idempotent_answers (
  user_id text not null,
  key_hash bytea not null,
  request_hash bytea not null,
  answer bytea,
  created_at timestamp with time zone default now() not null,
  constraint idempotent_answers_pkey PRIMARY KEY (user_id, key_hash)
);

create table diorama.outboxes (
  environment_id text not null,
  is_noting boolean default true not null,
  changes bigint default 0 not null,
  constraint outboxes_environment_id_fkey FOREIGN KEY (environment_id) REFERENCES diorama.environments(environment_id) ON DELETE CASCADE,
  constraint outboxes_pkey PRIMARY KEY (environment_id)
);

create table diorama.past_states (
  environment_id text not null,
  call integer not null,
  template_schema text not null,
  delta json not null,
  constraint past_states_environment_id_fkey FOREIGN KEY (environment_id) REFERENCES diorama.faults(environment_id) ON DELETE CASCADE,
  constraint past_states_pkey PRIMARY KEY (environment_id, call)
);

create table diorama.pending_actions (
  environment_id text not null,
  seq bigint generated always as identity not null,
  rule integer not null,
  due bigint not null,
  trigger_row json not null,
  wakes_at timestamp with time zone,
  quiet_ms bigint,
  constraint pending_actions_environment_id_fkey FOREIGN KEY (environment_id) REFERENCES diorama.counterparts(environment_id) ON DELETE CASCADE,
  constraint pending_actions_pkey PRIMARY KEY (environment_id, due, seq)
);

create table diorama.run_events (
  run_id text not null,
  number bigint not null,
  service text not null,
  type text not null,
  payload json,
  cause json,
  missed json not null,
  deliveries json,
  constraint run_events_pkey PRIMARY KEY (run_id, number),
  constraint run_events_run_id_fkey FOREIGN KEY (run_id) REFERENCES diorama.runs(run_id) ON DELETE CASCADE
);

create table diorama.runs (
  run_id text not null,
  environment_id text not null,
  schema_name text not null,
  user_id text not null,
  before_snapshot text not null,
  capture text not null,
  status text not null,
  seen boolean default false not null,
  started_at timestamp with time zone default now() not null,
  ended_at timestamp with time zone,
  passed boolean,
  score json,
  failures json default '[]'::json not null,
  diff json,
  test_id text,
  suite_id text,
  expected json,
  evidence json,
  standing json,
  explanations json,
  events json,
  cause text,
  labels jsonb default '{}'::jsonb not null,
  journal text default 'off'::text not null,
  call_changes json,
  call_marks json,
  changed_in xid8 default pg_current_xact_id(),
  clock_changes json,
  success boolean,
  reward double precision,
  unsafe json,
  undone integer,
  ending text,
  exit_code integer,
  state_verdict json,
  note text,
  bookmarked boolean default false not null,
  cost_usd double precision,
  attack text,
  changes_from bigint,
  changes_to bigint,
  events_kept text,
  deliveries json,
  acted_by_hand integer default 0 not null,
  constraint runs_attack_check CHECK ((attack = ANY (ARRAY['resisted'::text, 'obeyed'::text]))),
  constraint runs_capture_check CHECK ((capture = ANY (ARRAY['log'::text, 'snapshot'::text]))),
  constraint runs_cause_check CHECK ((cause = ANY (ARRAY['agent_limit'::text, 'capture_lost'::text, 'environment_expired'::text, 'environment_deleted'::text, 'interrupted'::text, 'server_error'::text, 'reset'::text]))),
  constraint runs_ending_check CHECK ((ending = ANY (ARRAY['answered'::text, 'crashed'::text, 'timed_out'::text, 'interrupted'::text]))),
  constraint runs_events_kept_check CHECK ((events_kept = ANY (ARRAY['whole'::text, 'limited'::text, 'lost'::text]))) NOT VALID,
  constraint runs_journal_check CHECK ((journal = ANY (ARRAY['off'::text, 'calls'::text, 'full'::text]))),
  constraint runs_pkey PRIMARY KEY (run_id),
  constraint runs_status_check CHECK ((status = ANY (ARRAY['running'::text, 'ending'::text, 'evaluating'::text, 'completed'::text, 'passed'::text, 'failed'::text])))
);

create table diorama.schema_migrations (
  version integer not null,
  name text not null,
  checksum text not null,
  applied_at timestamp with time zone default now() not null,
  requires integer default 0 not null,
  constraint schema_migrations_pkey PRIMARY KEY (version)
);

create table diorama.schemas (
  schema_name text not null,
  template_schema text not null,
  state text not null,
  fresh_xid bigint not null,
  fingerprint text not null,
  changed_at timestamp with time zone default now() not null,
  constraint schemas_pkey PRIMARY KEY (schema_name),
  constraint schemas_state_check CHECK ((state = ANY (ARRAY['ready'::text, 'reserved'::text, 'claimed'::text, 'used'::text])))
);

create table diorama.snapshot_clock (
  run_id text not null,
  table_name text not null,
  key text[] not null,
  is_copy boolean not null,
  before text[],
  after text[],
  constraint snapshot_clock_pkey PRIMARY KEY (run_id, table_name, key, is_copy),
  constraint snapshot_clock_run_id_fkey FOREIGN KEY (run_id) REFERENCES diorama.runs(run_id) ON DELETE CASCADE
);

create table diorama.snapshot_order (
  run_id text not null,
  table_name text not null,
  key text[] not null,
  position bigint generated always as identity not null,
  constraint snapshot_order_pkey PRIMARY KEY (run_id, table_name, key),
  constraint snapshot_order_run_id_fkey FOREIGN KEY (run_id) REFERENCES diorama.runs(run_id) ON DELETE CASCADE
);

create table diorama.snapshot_rows (
  run_id text not null,
  table_name text not null,
  key text[] not null,
  row text[] not null,
  constraint snapshot_rows_run_id_table_name_fkey FOREIGN KEY (run_id, table_name) REFERENCES diorama.snapshots(run_id, table_name) ON DELETE CASCADE
);

create table diorama.snapshot_steps (
  run_id text not null,
  table_name text not null,
  key text[] not null,
  step integer not null,
  actor text not null,
  before text[],
  after text[],
  constraint snapshot_steps_pkey PRIMARY KEY (run_id, table_name, key, step),
  constraint snapshot_steps_run_id_fkey FOREIGN KEY (run_id) REFERENCES diorama.runs(run_id) ON DELETE CASCADE
);

create table diorama.snapshots (
  run_id text not null,
  table_name text not null,
  columns text[] not null,
  types text[] not null,
  key text[] not null,
  constraint snapshots_pkey PRIMARY KEY (run_id, table_name),
  constraint snapshots_run_id_fkey FOREIGN KEY (run_id) REFERENCES diorama.runs(run_id) ON DELETE CASCADE
);

create table diorama.suites (
  suite_id text not null,
  name text not null,
  description text default ''::text not null,
  service text not null,
  template_name text not null,
  acting_user_id text,
  visibility text not null,
  user_id text,
  content_hash text,
  created_at timestamp with time zone default now() not null,
  constraint suites_pkey PRIMARY KEY (suite_id),
  constraint suites_visibility_check CHECK ((visibility = ANY (ARRAY['public'::text, 'private'::text])))
);

create table diorama.templates (
  template_id text not null,
  name text not null,
  service text not null,
  description text default ''::text not null,
  visibility text not null,
  user_id text,
  schema_name text not null,
  content_hash text not null,
  created_at timestamp with time zone default now() not null,
  seed json,
  opens_at timestamp with time zone,
  services text[],
  constraint templates_pkey PRIMARY KEY (template_id),
  constraint templates_schema_name_key UNIQUE (schema_name),
  constraint templates_visibility_check CHECK ((visibility = ANY (ARRAY['public'::text, 'private'::text])))
);

create table diorama.tests (
  test_id text not null,
  suite_id text not null,
  position bigint generated always as identity not null,
  name text not null,
  prompt text not null,
  expected_output json not null,
  template_name text,
  acting_user_id text,
  surfaces text[],
  faults json,
  audit json,
  counterparts json,
  events json,
  constraint tests_pkey PRIMARY KEY (test_id),
  constraint tests_suite_id_fkey FOREIGN KEY (suite_id) REFERENCES diorama.suites(suite_id) ON DELETE CASCADE
);

create table diorama.upload_pieces (
  upload_id text not null,
  start bigint not null,
  bytes bytea not null,
  constraint upload_pieces_pkey PRIMARY KEY (upload_id, start),
  constraint upload_pieces_upload_id_fkey FOREIGN KEY (upload_id) REFERENCES diorama.uploads(upload_id) ON DELETE CASCADE
);

create table diorama.uploads (
  upload_id text not null,
  environment_id text not null,
  method text not null,
  path text not null,
  content_type text not null,
  fields text not null,
  announced bigint,
  received bigint default 0 not null,
  is_performing boolean default false not null,
  answer text,
  created_at timestamp with time zone default now() not null,
  constraint uploads_pkey PRIMARY KEY (upload_id)
);

create table diorama.usage (
  key_id text not null,
  kind text not null,
  window_start timestamp with time zone not null,
  used integer not null,
  constraint usage_pkey PRIMARY KEY (key_id, kind, window_start)
);

create table diorama.used_tickets (
  ticket text not null,
  expires_at timestamp with time zone not null,
  constraint used_tickets_pkey PRIMARY KEY (ticket)
);

create table diorama.webhook_failures (
  environment_id text not null,
  app_id text not null,
  id bigint generated always as identity not null,
  number bigint not null,
  attempt integer not null,
  at bigint not null,
  url text not null,
  status integer,
  answer text not null,
  constraint webhook_failures_environment_id_app_id_fkey FOREIGN KEY (environment_id, app_id) REFERENCES diorama.event_apps(environment_id, app_id) ON DELETE CASCADE,
  constraint webhook_failures_pkey PRIMARY KEY (environment_id, app_id, id)
);

CREATE INDEX calls_appended ON diorama.calls USING btree (appended_in);

CREATE INDEX calls_numbered ON diorama.calls USING btree (run_id, last_number);

CREATE INDEX calls_unnumbered ON diorama.calls USING btree (run_id) WHERE (NOT is_numbered);

CREATE INDEX deliveries_changed ON diorama.deliveries USING btree (changed_in);

CREATE INDEX deliveries_due ON diorama.deliveries USING btree (environment_id, app_id, due_at) WHERE (state = 'pending'::text);

CREATE INDEX deliveries_open ON diorama.deliveries USING btree (environment_id, app_id, state, number) WHERE (state = ANY (ARRAY['pending'::text, 'sent'::text]));

CREATE INDEX environment_snapshots_family ON diorama.environment_snapshots USING btree (family_id, created_at);

CREATE INDEX environment_snapshots_key ON diorama.environment_snapshots USING btree (key_id);

CREATE INDEX environments_changed ON diorama.environments USING btree (changed_in);

CREATE INDEX environments_created ON diorama.environments USING brin (created_at) WITH (autosummarize='on');

CREATE INDEX environments_family ON diorama.environments USING btree (family_id) WHERE (family_id IS NOT NULL);

CREATE INDEX environments_live ON diorama.environments USING btree (expires_at) WHERE (deleted_at IS NULL);

CREATE INDEX environments_newest ON diorama.environments USING btree (user_id, created_at DESC, environment_id DESC);

CREATE INDEX environments_token ON diorama.environments USING btree (token_hash);

CREATE INDEX evaluations_newest ON diorama.evaluations USING btree (run_id, created_at DESC, evaluation_id DESC);

CREATE INDEX event_apps_posted ON diorama.event_apps USING btree (environment_id) WHERE (request_url IS NOT NULL);

CREATE INDEX events_change ON diorama.events USING btree (environment_id, change);

CREATE INDEX hidden_templates_family ON diorama.hidden_templates USING btree (family_id);

CREATE INDEX hidden_templates_key ON diorama.hidden_templates USING btree (key_id);

CREATE INDEX idempotent_answers_age ON diorama.idempotent_answers USING btree (created_at);

CREATE INDEX pending_actions_quiet ON diorama.pending_actions USING btree (environment_id) WHERE (quiet_ms IS NOT NULL);

CREATE INDEX pending_actions_waking ON diorama.pending_actions USING btree (wakes_at) WHERE (wakes_at IS NOT NULL);

CREATE INDEX runs_active ON diorama.runs USING btree (started_at) WHERE (status = ANY (ARRAY['running'::text, 'ending'::text]));

CREATE INDEX runs_changed ON diorama.runs USING btree (changed_in);

CREATE INDEX runs_evaluating ON diorama.runs USING btree (ended_at) WHERE (status = 'evaluating'::text);

CREATE INDEX runs_events_open ON diorama.runs USING btree (environment_id) WHERE ((changes_from IS NOT NULL) AND (events_kept IS NULL));

CREATE INDEX runs_labels ON diorama.runs USING gin (labels jsonb_path_ops) WHERE (labels <> '{}'::jsonb);

CREATE INDEX runs_newest ON diorama.runs USING btree (user_id, started_at DESC, run_id DESC);

CREATE INDEX runs_of_environment ON diorama.runs USING btree (environment_id, started_at DESC);

CREATE INDEX runs_of_suite ON diorama.runs USING btree (suite_id, test_id, started_at DESC) WHERE (suite_id IS NOT NULL);

CREATE UNIQUE INDEX runs_running ON diorama.runs USING btree (environment_id) WHERE (status = 'running'::text);

CREATE INDEX runs_started ON diorama.runs USING brin (started_at) WITH (autosummarize='on');

CREATE INDEX schemas_ready ON diorama.schemas USING btree (template_schema) WHERE (state = 'ready'::text);

CREATE INDEX schemas_reserved ON diorama.schemas USING btree (changed_at) WHERE (state = 'reserved'::text);

CREATE INDEX schemas_used ON diorama.schemas USING btree (changed_at) WHERE (state = 'used'::text);

CREATE INDEX snapshot_rows_of_run ON diorama.snapshot_rows USING btree (run_id, table_name);

CREATE INDEX suites_by_slug ON diorama.suites USING btree (TRIM(BOTH '-'::text FROM regexp_replace(lower(name), '[^a-z0-9]+'::text, '-'::text, 'g'::text)));

CREATE INDEX suites_newest ON diorama.suites USING btree (created_at DESC, suite_id DESC);

CREATE INDEX templates_newest ON diorama.templates USING btree (created_at DESC, template_id DESC);

CREATE UNIQUE INDEX templates_own_name ON diorama.templates USING btree (user_id, name);

CREATE UNIQUE INDEX templates_public_name ON diorama.templates USING btree (name) WHERE (visibility = 'public'::text);

CREATE INDEX tests_of_suite ON diorama.tests USING btree (suite_id, "position");

CREATE INDEX uploads_environment ON diorama.uploads USING btree (environment_id);

CREATE OR REPLACE FUNCTION diorama.note_change()
 RETURNS trigger
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  new.changed_in := pg_catalog.pg_current_xact_id();
  return new;
end
$function$
;

CREATE OR REPLACE FUNCTION diorama.note_for_counterparts()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
declare
  old_row text;
  new_row text;
  bytes int8;
  actor text := nullif(current_setting('diorama_note.actor', true), '');
  changed_at int8;
begin
  if actor is not null then
    if tg_argv[1] is distinct from 'any' then return null; end if;
    changed_at := floor((nullif(current_setting('diorama_note.cause', true), '')::json ->> 'micros')::numeric / 1000);
  end if;
  if tg_op = 'UPDATE' and old is not distinct from new then return null; end if;
  if tg_op <> 'INSERT' then old_row := old::text; end if;
  if tg_op <> 'DELETE' then new_row := new::text; end if;
  bytes := coalesce(nullif(current_setting('diorama_note.bytes', true), ''), '0')::int8
    + 1000 + coalesce(octet_length(old_row), 0) + coalesce(octet_length(new_row), 0);
  if bytes > 33554432 then return null; end if;
  perform set_config('diorama_note.bytes', bytes::text, true);
  insert into diorama.counterpart_changes (environment_id, transaction, table_name, before, after, actor, changed_at)
  values (tg_argv[0], pg_current_xact_id(), tg_table_name, old_row, new_row, actor, changed_at);
  return null;
end
$function$
;

CREATE OR REPLACE FUNCTION diorama.note_order()
 RETURNS trigger
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  image jsonb;
begin
  foreach image in array array[to_jsonb(old), to_jsonb(new)] loop
    if image is not null then
      insert into diorama.snapshot_order (run_id, table_name, key)
      select tg_argv[0], tg_table_name, array_agg(image ->> k.name order by k.place)
      from unnest(tg_argv[1:]) with ordinality as k (name, place)
      on conflict do nothing;
    end if;
  end loop;
  return null;
end
$function$
;

CREATE OR REPLACE FUNCTION diorama.note_row()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
declare
  next int8;
begin
  if tg_op = 'UPDATE' and old is not distinct from new then return null; end if;
  update diorama.outboxes set changes = least(changes + 1, 100001)
  where environment_id = tg_argv[0] returning changes into next;
  if next is null or next > 100000 then return null; end if;
  insert into diorama.changes (environment_id, number, transaction, table_name, before, after, cause)
  values (
    tg_argv[0], next, pg_current_xact_id(), tg_table_name,
    case when tg_op <> 'INSERT' then to_jsonb(old) end, case when tg_op <> 'DELETE' then to_jsonb(new) end,
    nullif(current_setting('diorama_note.cause', true), '')::json
  );
  perform set_config('synchronous_commit', 'on', true), pg_notify('diorama_changes', tg_argv[0]);
  return null;
end
$function$
;

create trigger note_change: CREATE TRIGGER note_change BEFORE UPDATE OF expires_at, deleted_at, snapshot_id ON diorama.environments FOR EACH ROW EXECUTE FUNCTION diorama.note_change()

create trigger note_change: CREATE TRIGGER note_change BEFORE UPDATE OF status ON diorama.runs FOR EACH ROW EXECUTE FUNCTION diorama.note_change()

create trigger note_change: CREATE TRIGGER note_change BEFORE UPDATE ON diorama.deliveries FOR EACH ROW EXECUTE FUNCTION diorama.note_change()
