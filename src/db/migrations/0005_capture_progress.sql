-- How far the leader has read, while that is far behind what was written; null while it keeps up.
alter table diorama.capture add column read_to pg_lsn;
