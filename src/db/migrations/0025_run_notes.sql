-- What a person says about a run, and whether it is one to come back to.
alter table diorama.runs
  add column note text,
  add column bookmarked boolean not null default false;
