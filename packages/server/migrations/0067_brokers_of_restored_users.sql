-- What brokers are owed about a deleted user is put off again and again. A user who comes back gets it moving at once,
-- as it does what webhooks are owed: 'epoch' is past on every clock.
create function aliquot_hasten_broker_messages_of_user() returns trigger language plpgsql as $$
begin
  update pipeline_delivery d set due_wall = 'epoch'
  from event v
  where v.user_id = new.id and v.team_id = new.team_id and v.environment = new.environment
    and d.event_id = v.id and d.team_id = v.team_id and d.environment = v.environment;
  return null;
end $$;
create trigger broker_messages_of_restored_user after update of deleted_at on app_user
  for each row when (old.deleted_at is not null and new.deleted_at is null)
  execute function aliquot_hasten_broker_messages_of_user();
