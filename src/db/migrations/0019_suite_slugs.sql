-- A suite is found by its name in lower case with hyphens, without reading the others.
create index suites_by_slug on diorama.suites (trim(both '-' from regexp_replace(lower(name), '[^a-z0-9]+', '-', 'g')));
