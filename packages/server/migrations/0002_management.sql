-- Keys are looked up before their tenant is known, so these tables belong to the service, not to a tenant.
create table api_key (
  id uuid primary key,
  team_id uuid not null references team (id),
  environment text not null check (environment in ('production', 'sandbox')),
  label text not null,
  prefix text not null,
  digest bytea not null unique,
  created_at timestamptz not null,
  last_used_at timestamptz,
  deleted_at timestamptz
);
create index api_key_of_team on api_key (team_id, environment, id);

create table management_key (
  id uuid primary key,
  org_id uuid not null references organization (id),
  label text not null,
  role text not null check (role in ('org_admin', 'team_admin')),
  prefix text not null,
  digest bytea not null unique,
  created_by uuid,
  created_at timestamptz not null,
  last_used_at timestamptz,
  deleted_at timestamptz
);
create index management_key_of_org on management_key (org_id, id);

create table management_key_team (
  management_key_id uuid not null references management_key (id) on delete cascade,
  team_id uuid not null references team (id),
  primary key (management_key_id, team_id)
);

-- Append-only: nobody is granted an update or a delete.
create table audit_log (
  id uuid primary key,
  org_id uuid not null references organization (id),
  team_id uuid,
  actor text not null,
  action text not null,
  subject text not null,
  before jsonb,
  after jsonb,
  address text,
  request_id text,
  created_at timestamptz not null
);
create index audit_log_of_org on audit_log (org_id, id);

grant select, insert, update, delete on api_key, management_key, management_key_team to aliquot_system;
grant select, insert on audit_log to aliquot_system;

-- Until when, on the system's clock, somebody is moving the sandbox clock of the team: one mover at a time.
alter table team_environment add column clock_taken_until timestamptz;

-- How many jobs of a tenant may run now or run already; the queue's tables belong to the owner alone.
create function aliquot_runnable_jobs(team uuid, env text) returns bigint
language plpgsql stable security definer set search_path = pg_catalog, pg_temp as $$
begin
  return (
    select count(*) from graphile_worker._private_jobs
    where run_at <= now() and attempts < max_attempts
      and payload ->> 'team_id' = team::text and payload ->> 'environment' = env
  );
end $$;
revoke all on function aliquot_runnable_jobs(uuid, text) from public;
grant execute on function aliquot_runnable_jobs(uuid, text) to aliquot_system;
