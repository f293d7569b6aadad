-- Where events are sent to, what is owed to whom, and what came of every attempt.
create table webhook_endpoint (
  team_id uuid not null,
  environment text not null,
  id uuid not null,
  url text not null,
  description text,
  -- null: every event. Else exact names and prefixes that end in `.*`.
  filter_types text[] check (cardinality(filter_types) > 0),
  -- Messages a second. rate_free_at is the moment, on the system's clock, from which the next ones may go.
  rate_limit integer check (rate_limit > 0),
  rate_free_at timestamptz,
  headers bytea not null,
  secrets bytea not null,
  -- Raised by every change of what a sender needs to know; senders keep endpoints by id and revision.
  revision integer not null default 1,
  disabled_at timestamptz,
  -- The failures since the last success, on the tenant's clock (see failing.ts).
  first_failure_at timestamptz,
  last_failure_at timestamptz,
  failing_since timestamptz,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (team_id, environment, id),
  foreign key (team_id, environment) references team_environment (team_id, environment)
);
select aliquot_protect('webhook_endpoint');
select aliquot_open_to_system('webhook_endpoint',
  'select, update (rate_free_at, first_failure_at, last_failure_at, failing_since)');
create index webhook_endpoint_id on webhook_endpoint (id);
create index webhook_endpoint_limited on webhook_endpoint (id) where rate_limit is not null and disabled_at is null;

-- One row for each message owed to an endpoint. due_at is on the tenant's clock; due_wall is the same moment
-- on the system's, moved whenever the tenant's clock is moved. A sender that takes a row leases it;
-- leased_until is in no index, so that taking a row writes no index entry.
create table webhook_delivery (
  team_id uuid not null,
  environment text not null,
  id uuid not null,
  endpoint_id uuid not null,
  event_id uuid not null,
  -- held: the endpoint was disabled while the message was owed; it goes when the endpoint is enabled again.
  status text not null default 'pending' check (status in ('pending', 'held', 'delivered', 'failed')),
  attempts integer not null default 0,
  due_at timestamptz not null,
  due_wall timestamptz not null,
  leased_until timestamptz,
  created_at timestamptz not null,
  finished_at timestamptz,
  primary key (team_id, environment, id),
  -- Only primary keys begin with the tenant. While a table is small every index that does looks equally good
  -- to the planner, and it takes the wrong one; so the others begin with what tells rows apart.
  unique (endpoint_id, event_id, team_id, environment),
  foreign key (team_id, environment, endpoint_id)
    references webhook_endpoint (team_id, environment, id) on delete cascade,
  foreign key (team_id, environment, event_id) references event (team_id, environment, id) on delete cascade
);
select aliquot_protect('webhook_delivery');
select aliquot_open_to_system('webhook_delivery', 'select, insert, update, delete');
create index webhook_delivery_due on webhook_delivery (endpoint_id, due_wall) where status = 'pending';
create index webhook_delivery_id on webhook_delivery (id);
create index webhook_delivery_of_event on webhook_delivery (event_id);

create table webhook_attempt (
  team_id uuid not null,
  environment text not null,
  delivery_id uuid not null,
  id uuid not null,
  endpoint_id uuid not null,
  -- The how manieth: 1 is the first.
  attempt integer not null,
  at timestamptz not null,
  status_code integer,
  error text,
  duration_ms integer not null,
  response bytea,
  primary key (team_id, environment, delivery_id, id),
  foreign key (team_id, environment, delivery_id)
    references webhook_delivery (team_id, environment, id) on delete cascade
);
select aliquot_protect('webhook_attempt');
select aliquot_open_to_system('webhook_attempt', 'select, insert, delete');
create index webhook_attempt_of_endpoint on webhook_attempt (endpoint_id, at, id);

-- A queue is empty most of the time and full all at once: clean and count it often, whatever its size was before.
alter table webhook_delivery set (
  fillfactor = 70,
  autovacuum_vacuum_scale_factor = 0.01, autovacuum_vacuum_threshold = 1000,
  autovacuum_vacuum_insert_scale_factor = 0.05,
  autovacuum_analyze_scale_factor = 0.01, autovacuum_analyze_threshold = 500,
  autovacuum_vacuum_cost_delay = 0
);
alter table webhook_attempt set (autovacuum_vacuum_scale_factor = 0.02, autovacuum_analyze_scale_factor = 0.02);
alter table webhook_endpoint set (fillfactor = 70, autovacuum_vacuum_scale_factor = 0.05);
