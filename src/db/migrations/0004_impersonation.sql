-- Whether the environment's token may name another user than acting_user_id, call by call.
alter table diorama.environments add column allow_impersonation boolean not null default false;
