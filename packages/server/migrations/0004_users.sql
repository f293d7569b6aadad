-- The people of a team. What other slices keep about a user refers to this row with `on delete cascade`,
-- so that erasing it erases all of that.
create table app_user (
  team_id uuid not null,
  environment text not null,
  id uuid not null,
  client_user_id text not null,
  fallback_time_zone text,
  fallback_time_zone_source text,
  fallback_time_zone_at timestamptz,
  fallback_birth_date bytea,
  fallback_birth_date_source text,
  fallback_birth_date_at timestamptz,
  ingestion_start date,
  ingestion_end date,
  created_at timestamptz not null,
  -- Set: the grace period runs, and no read may see the user.
  deleted_at timestamptz,
  primary key (team_id, environment, id),
  foreign key (team_id, environment) references team_environment (team_id, environment)
);
select aliquot_protect('app_user');
create unique index app_user_client_user_id on app_user (team_id, environment, client_user_id) where deleted_at is null;
create index app_user_oldest on app_user (team_id, environment, created_at, id) where deleted_at is null;
create index app_user_in_grace on app_user (team_id, environment, client_user_id, deleted_at) where deleted_at is not null;

-- The demographics of a user, sealed; `email_index` is a keyed digest of the e-mail address in lower case.
create table user_info (
  team_id uuid not null,
  environment text not null,
  user_id uuid not null,
  document bytea not null,
  email_index bytea not null,
  updated_at timestamptz not null,
  primary key (team_id, environment, user_id),
  foreign key (team_id, environment, user_id) references app_user (team_id, environment, id) on delete cascade
);
select aliquot_protect('user_info');
create index user_info_email on user_info (team_id, environment, email_index);

-- Nothing is told of a deleted user: an event about one is not written, whichever slice would have said it.
create function aliquot_silence_deleted_user() returns trigger language plpgsql as $$
begin
  if exists (
    select from app_user
    where team_id = new.team_id and environment = new.environment and id = new.user_id and deleted_at is not null
  ) then
    return null;
  end if;
  return new;
end $$;
create trigger event_of_deleted_user before insert on event
  for each row when (new.user_id is not null) execute function aliquot_silence_deleted_user();
