-- A call on the server's own root names no environment: its token does.
create index environments_token on diorama.environments (token_hash);
