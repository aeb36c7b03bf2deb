-- The actions of counterparts until a snapshot: the ids of later ones derive from how many there were before.
alter table diorama.environment_snapshots add column actions int8 not null default 0;
