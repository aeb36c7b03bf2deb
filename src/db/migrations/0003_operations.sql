-- The oldest program that works beside this migration, named by the newest migration that it knows. Servers of two
-- versions run side by side during a rolling restart, and a version may have to be taken back.
alter table diorama.schema_migrations add column requires int not null default 0;

-- Answers to calls that carried an Idempotency-Key. Neither key nor answer can be read here: the key is hashed, and the
-- answer, which may hold a credential, is encrypted with it.
create table diorama.idempotent_answers (
  user_id text not null,
  key_hash bytea not null,
  request_hash bytea not null, -- of the path and the body
  answer bytea, -- null only within the transaction that makes it
  created_at timestamptz not null default now(),
  primary key (user_id, key_hash)
);
create index idempotent_answers_age on diorama.idempotent_answers (created_at);
