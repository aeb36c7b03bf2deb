-- Runs begin in the order of their places in the table: a cleanup skips all that began lately.
create index runs_started on diorama.runs using brin (started_at) with (autosummarize = on);
