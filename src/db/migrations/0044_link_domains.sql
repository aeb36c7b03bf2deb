-- The domains whose links an app previews: the service reports such links to it.
alter table diorama.event_apps add column domains text[] not null default '{}';
