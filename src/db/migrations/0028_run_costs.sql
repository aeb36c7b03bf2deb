-- The price of an attempt, as its runner reports it.
alter table diorama.runs add column cost_usd double precision;
