-- The last failed attempts to deliver events to webhooks, which calls of their service can list.
create table diorama.webhook_failures (
  environment_id text not null,
  app_id text not null,
  id int8 generated always as identity,
  number int8 not null, -- of the event
  attempt int4 not null, -- from 0
  at int8 not null, -- by the environment's clock, in milliseconds
  url text not null,
  status int4, -- null: there was no answer
  answer text not null, -- its beginning, or why there is none
  primary key (environment_id, app_id, id),
  foreign key (environment_id, app_id) references diorama.event_apps on delete cascade
);

-- How many deliveries of a run's events had which outcome, by type, once its events are kept.
alter table diorama.runs add column deliveries json;
