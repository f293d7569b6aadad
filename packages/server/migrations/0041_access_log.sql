-- Who saw or changed what of a tenant with a key or a token of the team API: ids, never names or values. It outlives the
-- users and orders that it is about, so it has no foreign keys, and its columns have other names than theirs.
create table access_log (
  team_id uuid not null,
  environment text not null,
  -- In the order of writing; see access_log_seal.
  place bigserial not null,
  -- On the clock of the service, also where the sandbox clock was moved.
  at timestamptz not null,
  kind text not null check (kind in ('api_key', 'access_token', 'break_glass', 'user')),
  key_id text not null,
  operation text not null,
  method text not null,
  status smallint not null,
  about_user uuid,
  about_order uuid,
  -- The other ids of the path, by the names of their parameters.
  about jsonb,
  address text not null,
  request_id text not null,
  primary key (team_id, environment, place)
);
select aliquot_protect('access_log');
select aliquot_open_to_system('access_log', 'select, insert');
revoke update, delete on access_log from aliquot_tenant;
grant usage on sequence access_log_place_seq to aliquot_tenant, aliquot_system;
grant select on sequence access_log_place_seq to aliquot_system;
-- For the sealing of what came lately; a tree of its own would cost every line.
create index access_log_place on access_log using brin (place);
create index access_log_of_user on access_log (team_id, environment, about_user, place) where about_user is not null;
create index access_log_of_order on access_log (team_id, environment, about_order, place) where about_order is not null;

create function aliquot_refuse_access_change() returns trigger language plpgsql as $$
begin
  raise exception 'The access log is append-only';
end $$;
create trigger access_log_append_only before update or delete or truncate on access_log
  for each statement execute function aliquot_refuse_access_change();

-- How many lines of a tenant stand behind one place up to another, and the SHA-256 of all that they say. JSON prints
-- lists and objects in one way only.
create function aliquot_access_digest(team uuid, env text, behind bigint, upto bigint)
returns table (lines bigint, digest text)
language sql stable set search_path = pg_catalog, pg_temp as $$
  select count(*), encode(sha256(convert_to(coalesce(string_agg(jsonb_build_array(
    l.place, (extract(epoch from l.at) * 1000000)::bigint, l.kind, l.key_id, l.operation, l.method, l.status,
    l.about_user, l.about_order, l.about, l.address, l.request_id)::text, E'\n' order by l.place), ''), 'UTF8')), 'hex')
  from public.access_log l
  where l.team_id = team and l.environment = env and l.place > behind and l.place <= upto
$$;
grant execute on function aliquot_access_digest(uuid, text, bigint, bigint) to aliquot_system;

-- Up to which place the lines of a tenant are sealed by lines of the audit log, which are the proof.
create table access_log_seal (
  team_id uuid not null,
  environment text not null,
  sealed_to bigint not null,
  primary key (team_id, environment),
  foreign key (team_id, environment) references team_environment (team_id, environment)
);
select aliquot_protect('access_log_seal');
revoke all on access_log_seal from aliquot_tenant;
grant select on access_log_seal to aliquot_tenant;
select aliquot_open_to_system('access_log_seal', 'select, insert, update');

-- An opening of a tenant's data to an organization: a token that reads, for a reason, for an hour of the service's clock.
create table break_glass (
  team_id uuid not null,
  environment text not null,
  id uuid not null,
  digest bytea not null unique,
  reason text not null,
  opened_by text not null,
  opened_at timestamptz not null,
  ends_at timestamptz not null,
  ended_at timestamptz,
  primary key (team_id, environment, id),
  foreign key (team_id, environment) references team_environment (team_id, environment)
);
select aliquot_protect('break_glass');
revoke all on break_glass from aliquot_tenant;
grant select on break_glass to aliquot_tenant;
select aliquot_open_to_system('break_glass', 'select, insert, update');
