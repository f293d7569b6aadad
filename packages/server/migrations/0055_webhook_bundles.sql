-- Messages to one endpoint that became owed together wait in one row: a queue that is full grew by a row with five
-- indexes for each of them, and most of them are taken, sent and done with together. What happens to one of them, a failure,
-- an erasure, an endpoint that is disabled, unpacks the row into rows of webhook_delivery. A row is never changed.
create table webhook_bundle (
  team_id uuid not null,
  environment text not null,
  -- The id of a message is that of its bundle with its number, from 1, in the twelve bits that are 0 here.
  id uuid not null,
  endpoint_id uuid not null,
  event_ids uuid[] not null,
  -- On the tenant's clock, and on the system's, as in webhook_delivery.
  due_at timestamptz not null,
  due_wall timestamptz not null,
  primary key (team_id, environment, id),
  foreign key (team_id, environment, endpoint_id)
    references webhook_endpoint (team_id, environment, id) on delete cascade
);
select aliquot_protect('webhook_bundle');
select aliquot_open_to_system('webhook_bundle', 'select, insert, update, delete');
create index webhook_bundle_due on webhook_bundle (endpoint_id, due_wall);
alter table webhook_bundle set (
  fillfactor = 70,
  autovacuum_vacuum_scale_factor = 0.01, autovacuum_vacuum_threshold = 200,
  autovacuum_vacuum_insert_scale_factor = 0.05,
  autovacuum_analyze_scale_factor = 0.01, autovacuum_analyze_threshold = 200,
  autovacuum_vacuum_cost_delay = 0
);

-- The message of a bundle by its number, and the bundle that a message came from, if it came from one.
create function aliquot_bundled_id(id uuid, number bigint) returns uuid
language sql immutable parallel safe as $$
  select overlay(id::text placing lpad(to_hex(number), 3, '0') from 16 for 3)::uuid
$$;
