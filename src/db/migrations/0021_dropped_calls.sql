-- Calls that a server left out because the run itself had too many, counted in `dropped` too.
alter table diorama.calls add column dropped_own int not null default 0;
