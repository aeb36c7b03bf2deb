-- The apps that receive events in the environments that are created for a test. Null: none.
alter table diorama.tests add column events json;
