-- The calls that the journals of the environment's runs had when a fork or a snapshot was made.
alter table diorama.environments add column at_call int; -- null: not a fork
alter table diorama.environment_snapshots add column at_call int not null default 0;
