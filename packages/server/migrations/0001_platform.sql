-- Roles are of the cluster, not of the database: another database may have made them already.
do $$
begin
  if not exists (select from pg_roles where rolname = 'aliquot_tenant') then
    create role aliquot_tenant nologin;
  end if;
  if not exists (select from pg_roles where rolname = 'aliquot_system') then
    create role aliquot_system nologin;
  end if;
exception
  when duplicate_object or unique_violation then null;
  when insufficient_privilege then
    raise exception 'The roles aliquot_tenant and aliquot_system are missing and % may not create them. As an administrator run: CREATE ROLE aliquot_tenant NOLOGIN; CREATE ROLE aliquot_system NOLOGIN; GRANT aliquot_tenant, aliquot_system TO %;', current_user, current_user;
end $$;

do $$
begin
  if not pg_has_role(current_user, 'aliquot_tenant', 'member') then
    execute format('grant aliquot_tenant to %I', current_user);
  end if;
  if not pg_has_role(current_user, 'aliquot_system', 'member') then
    execute format('grant aliquot_system to %I', current_user);
  end if;
end $$;

grant usage on schema public to aliquot_tenant, aliquot_system;

-- The second lock: every tenant table is closed but to its tenant, for its owner too.
create function aliquot_protect(target regclass) returns void language plpgsql as $$
begin
  execute format('alter table %s enable row level security', target);
  execute format('alter table %s force row level security', target);
  execute format(
    'create policy tenant on %s to aliquot_tenant using (team_id = nullif(current_setting(''aliquot.team_id'', true), '''')::uuid and environment = current_setting(''aliquot.environment'', true))',
    target);
  execute format('grant select, insert, update, delete on %s to aliquot_tenant', target);
end $$;

-- Lets the service itself work on a table across tenants: queues, settings, keys. Only what is named.
create function aliquot_open_to_system(target regclass, privileges text) returns void language plpgsql as $$
begin
  execute format('create policy system on %s to aliquot_system using (true)', target);
  execute format('grant %s on %s to aliquot_system', privileges, target);
end $$;

create table organization (
  id uuid primary key,
  name text not null,
  plan text not null default 'scale',
  created_at timestamptz not null
);

create table team (
  id uuid primary key,
  org_id uuid not null references organization (id),
  name text not null,
  region text not null check (region in ('us', 'eu')),
  integration_team_id text,
  created_at timestamptz not null,
  deleted_at timestamptz,
  unique (org_id, integration_team_id)
);
create index team_of_org on team (org_id, id);

-- A team in one environment is the tenant. Settings and the sandbox clock stand here.
create table team_environment (
  team_id uuid not null references team (id),
  environment text not null check (environment in ('production', 'sandbox')),
  settings jsonb not null default '{}',
  features text[] not null default '{}',
  clock_offset_ms bigint not null default 0,
  created_at timestamptz not null,
  primary key (team_id, environment),
  check (environment = 'sandbox' or clock_offset_ms = 0)
);
select aliquot_protect('team_environment');
revoke insert, update, delete on team_environment from aliquot_tenant;
select aliquot_open_to_system('team_environment', 'select, insert, update, delete');

create table tenant_key (
  team_id uuid not null,
  environment text not null check (environment in ('production', 'sandbox')),
  wrapped_key bytea not null,
  wrapped_by text not null,
  primary key (team_id, environment),
  foreign key (team_id, environment) references team_environment (team_id, environment)
);
select aliquot_protect('tenant_key');
revoke all on tenant_key from aliquot_tenant;
select aliquot_open_to_system('tenant_key', 'select, insert, update, delete');

create table idempotency_record (
  team_id uuid not null,
  environment text not null,
  operation text not null,
  idempotency_key text not null,
  request_hash bytea not null,
  status integer not null,
  headers jsonb not null,
  answer bytea not null,
  expires_at timestamptz not null,
  created_at timestamptz not null,
  primary key (team_id, environment, operation, idempotency_key),
  foreign key (team_id, environment) references team_environment (team_id, environment)
);
select aliquot_protect('idempotency_record');
select aliquot_open_to_system('idempotency_record', 'select, delete');
create index idempotency_record_expiry on idempotency_record (expires_at);

-- What happens later. due_at is on the tenant's clock; due_wall is the same moment on the system's,
-- moved whenever the tenant's clock is moved, so that one index finds what is due for all tenants.
create table timer (
  team_id uuid not null,
  environment text not null,
  job text not null,
  key text not null,
  due_at timestamptz not null,
  due_wall timestamptz not null,
  input jsonb not null,
  primary key (team_id, environment, job, key),
  foreign key (team_id, environment) references team_environment (team_id, environment)
);
select aliquot_protect('timer');
select aliquot_open_to_system('timer', 'select, update, delete');
create index timer_due on timer (due_wall);

-- Puts a job into the queue in the caller's own transaction; the queue's tables belong to the owner alone.
create function aliquot_enqueue(job text, payload json) returns void
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
begin
  perform graphile_worker.add_job(job, payload);
end $$;
revoke all on function aliquot_enqueue(text, json) from public;
grant execute on function aliquot_enqueue(text, json) to aliquot_tenant, aliquot_system;

grant select on organization, team to aliquot_tenant;
grant select, insert, update, delete on organization, team to aliquot_system;
