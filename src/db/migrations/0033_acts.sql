-- Acts of people: their app learns of them once, as the person waits for what follows, and has an address for its answers.
alter table diorama.deliveries add column is_single boolean not null default false; -- no other attempt by itself
alter table diorama.events add column answers int2 not null default 0; -- uses of its address, and at most one more
