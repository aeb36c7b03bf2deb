-- How often people acted, or events were raised, by hand while a run was active.
alter table diorama.runs add column acted_by_hand int4 not null default 0;
