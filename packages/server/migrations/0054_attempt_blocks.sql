-- Attempts that succeeded at once, many of one endpoint in one row: most attempts are such, and a row with three indexes
-- for each of them took more of the database's time than all the rest of a delivery. What they say is sealed as one;
-- the events that they are about stand beside it in the same order, so that they can be found by event.
create table webhook_attempt_block (
  team_id uuid not null,
  environment text not null,
  -- The id of an attempt is that of its block with its number in the twelve bits that are 0 here.
  id uuid not null,
  endpoint_id uuid not null,
  -- On the tenant's clock.
  first_at timestamptz not null,
  last_at timestamptz not null,
  event_ids uuid[] not null,
  attempts bytea not null,
  primary key (team_id, environment, id)
);
select aliquot_protect('webhook_attempt_block');
select aliquot_open_to_system('webhook_attempt_block', 'select, insert, update, delete');
create index webhook_attempt_block_of_endpoint on webhook_attempt_block (endpoint_id, last_at, id);
create index webhook_attempt_block_of_event on webhook_attempt_block using gin (event_ids);
-- What is sealed cannot be packed.
alter table webhook_attempt_block alter column attempts set storage external;
alter table webhook_attempt_block set (autovacuum_vacuum_scale_factor = 0.02, autovacuum_analyze_scale_factor = 0.02);

-- The blocks of the tenant with an attempt about one of some events. A comparison of arrays may not be asked before the
-- rows of others are put aside, so that no index would help the tenant's own role; this one puts them aside by itself.
create function aliquot_blocks_of_events(events uuid[]) returns setof uuid
language sql stable security definer set search_path = public, pg_temp set enable_bitmapscan = on as $$
  select id from webhook_attempt_block
  where event_ids && events and team_id = nullif(current_setting('aliquot.team_id', true), '')::uuid
    and environment = current_setting('aliquot.environment', true)
$$;
revoke all on function aliquot_blocks_of_events(uuid[]) from public;
grant execute on function aliquot_blocks_of_events(uuid[]) to aliquot_tenant;
grant create on schema public to aliquot_system;
alter function aliquot_blocks_of_events(uuid[]) owner to aliquot_system;
revoke create on schema public from aliquot_system;

-- What is held is looked for endpoint by endpoint, and mostly there is none.
create index webhook_delivery_held on webhook_delivery (endpoint_id, due_wall) where status = 'held';
