-- A fault may close the connections of an app in place of the first attempt of a delivery.
alter table diorama.deliveries add column disconnects bool not null default false;
