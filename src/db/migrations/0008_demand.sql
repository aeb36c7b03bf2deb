-- For the environments created within the last hour. Rows arrive in this order, so a summary of each range is enough.
create index environments_created on diorama.environments using brin (created_at) with (autosummarize = on);
