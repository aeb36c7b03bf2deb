-- States to return to. A snapshot is kept as its difference from the template, and shared by all forks of a family.
create table diorama.environment_snapshots (
  snapshot_id text primary key,
  family_id text not null, -- the environment that the others were forked from
  environment_id text not null,
  key_id text not null,
  parent_id text, -- the snapshot that the environment's state comes from; null: its template
  name text,
  template_schema text not null,
  row_count int not null,
  delta json not null,
  created_at timestamptz not null default now()
);
create index environment_snapshots_family on diorama.environment_snapshots (family_id, created_at);
create index environment_snapshots_key on diorama.environment_snapshots (key_id);

alter table diorama.environments
  add column family_id text, -- null: its own
  add column parent_environment_id text, -- null: not a fork
  add column snapshot_id text; -- that its state comes from; null: its template
create index environments_family on diorama.environments (family_id) where family_id is not null;

-- reserved: taken out of the pool for several environments that are created together
alter table diorama.schemas
  drop constraint schemas_state_check,
  add constraint schemas_state_check check (state in ('ready', 'reserved', 'claimed', 'used'));
create index schemas_reserved on diorama.schemas (changed_at) where state = 'reserved';
