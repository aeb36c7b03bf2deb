-- Actions that wait until the agent has been silent: each of its calls makes them due that much later.
alter table diorama.pending_actions add column quiet_ms int8; -- null: it is due at its time, whatever the agent does
create index pending_actions_quiet on diorama.pending_actions (environment_id) where quiet_ms is not null;
