-- The requests to the team API: methods, paths with ids, statuses and times, without values. Not a proof like the access
-- log: it may lose its last second, and is deleted by age.
create table request_log (
  team_id uuid not null,
  environment text not null,
  -- When the request arrived, on the clock of the service, also where the sandbox clock was moved.
  at timestamptz not null,
  -- Tells requests of one millisecond apart.
  place bigserial not null,
  kind text not null,
  key_id text not null,
  operation text not null,
  method text not null,
  -- The path with the names of its parameters, and the path with those ids that are UUIDs.
  route text not null,
  path text not null,
  status smallint not null,
  duration_ms integer not null,
  request_id text not null,
  idempotency_key text,
  -- The code of the error, and where the request was invalid: [{"loc": ..., "type": ...}].
  problem text,
  locations jsonb,
  primary key (team_id, environment, at, place)
) with (autovacuum_vacuum_insert_scale_factor = 0.05, autovacuum_analyze_scale_factor = 0.05);
select aliquot_protect('request_log');
select aliquot_open_to_system('request_log', 'select, insert');
revoke insert, update on request_log from aliquot_tenant;
grant usage on sequence request_log_place_seq to aliquot_system;
create index request_log_of_request on request_log (team_id, environment, request_id, at, place);
