-- How a test can be solved: through the service's own API, through its tools. Null: unknown.
alter table diorama.tests add column surfaces text[];
