-- What an attempt was sent with and the headers of its answer, sealed. The body of the request is not kept:
-- it is the event's, and is written again when it is read.
alter table webhook_attempt add column exchange bytea;
create index webhook_attempt_id on webhook_attempt (id);
create index webhook_attempt_failed on webhook_attempt (endpoint_id, at, id) where error is not null;
create index webhook_delivery_failed on webhook_delivery (endpoint_id, created_at) where status = 'failed';

-- How many attempts succeeded and failed, by five minutes of the tenant's clock. Written together with the attempts,
-- so that a chart of a month reads rows by the thousand and not attempts by the million. Tells of no person.
-- Outlives its endpoint, so that deleting one does not change the past.
create table webhook_tally (
  team_id uuid not null,
  environment text not null,
  bucket timestamptz not null,
  endpoint_id uuid not null,
  event_type text not null,
  succeeded integer not null,
  failed integer not null,
  primary key (team_id, environment, bucket, endpoint_id, event_type),
  foreign key (team_id, environment) references team_environment (team_id, environment)
) with (fillfactor = 50);
select aliquot_protect('webhook_tally');
select aliquot_open_to_system('webhook_tally', 'select, insert, update, delete');

-- A test message is an event with a place below zero: the log begins above it, so no reader meets one, and the
-- fan-out, which looks for events without a place, does not hand it to anybody.
create sequence event_test_position_seq increment by -1;
grant usage on sequence event_test_position_seq to aliquot_tenant;
grant delete on event to aliquot_system;

-- Nothing is sent of a deleted user. The sender looks when it takes a message, and holds it; erasing the user erases
-- it with its event, and a user who comes back gets it moving again.
select aliquot_open_to_system('app_user', 'select (team_id, environment, id, deleted_at)');
create function aliquot_release_messages_of_user() returns trigger language plpgsql as $$
begin
  update webhook_delivery d set status = 'pending'
  from event v, webhook_endpoint e
  where v.user_id = new.id and v.team_id = new.team_id and v.environment = new.environment
    and d.event_id = v.id and d.team_id = v.team_id and d.environment = v.environment and d.status = 'held'
    and e.id = d.endpoint_id and e.team_id = d.team_id and e.environment = d.environment and e.disabled_at is null;
  return null;
end $$;
create trigger messages_of_restored_user after update of deleted_at on app_user
  for each row when (old.deleted_at is not null and new.deleted_at is null)
  execute function aliquot_release_messages_of_user();
