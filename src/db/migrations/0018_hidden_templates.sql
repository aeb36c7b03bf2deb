-- Large states of environments, copied whole: snapshots and forks refer to them as to a template. Nobody else sees them.
create table diorama.hidden_templates (
  schema_name text primary key,
  base_schema text not null, -- the template that the environment comes from
  family_id text not null,
  key_id text not null,
  created_at timestamptz not null default now()
);
create index hidden_templates_family on diorama.hidden_templates (family_id);
create index hidden_templates_key on diorama.hidden_templates (key_id);
