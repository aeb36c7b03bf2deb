-- Worlds: the services of a template; null: the one of `service`.
alter table diorama.templates add column services text[];
-- The services of an environment of several, in their order, each with the id of the agent's user there or null.
alter table diorama.environments add column members json;
