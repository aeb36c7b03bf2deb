-- What the author of a test says to its audit: mutants that are as good as the solution. Null: nothing.
alter table diorama.tests add column audit json;
