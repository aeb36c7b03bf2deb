-- A fault may deliver an event more than once.
alter table diorama.deliveries add column repeats int2 not null default 0; -- after its acknowledgement
