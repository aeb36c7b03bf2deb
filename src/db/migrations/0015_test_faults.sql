-- The faults of the environments that are created for a test. Null: none.
alter table diorama.tests add column faults json;
