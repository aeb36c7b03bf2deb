-- Apps with an address, to which servers post their events.
alter table diorama.event_apps
  add column request_url text, -- null: it opens connections
  add column base_url text, -- the scheme and host at which it reaches the server
  add column verified_url text, -- the address that has answered the challenge of the service
  add column problem text, -- why the address did not, at last
  add column asked_at timestamptz, -- not asked again before
  add column webhook json; -- of a webhook, which is a row of the service: the part of it that its requests and audience need
alter table diorama.event_logs add column webhooks_read boolean not null default false; -- those from before the first change
create index event_apps_posted on diorama.event_apps (environment_id) where request_url is not null;

-- blocked: nothing was sent, as its address is not allowed.
alter table diorama.deliveries drop constraint deliveries_state_check;
alter table diorama.deliveries add check (state in ('pending', 'sent', 'delivered', 'failed', 'blocked')) not valid; -- all are
create index deliveries_due on diorama.deliveries (environment_id, app_id, due_at) where state = 'pending';
