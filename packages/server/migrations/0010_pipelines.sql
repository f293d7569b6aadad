-- Where the events of a tenant go besides webhooks. A tenant without a row has webhooks alone.
create table event_pipeline (
  team_id uuid not null,
  environment text not null,
  push_historical_data boolean not null default false,
  provider_raw_data boolean not null default false,
  preferred text not null,
  enabled text[] not null check (cardinality(enabled) > 0),
  -- null: every event.
  event_type_prefixes text[] check (cardinality(event_type_prefixes) > 0),
  -- Sealed: addresses carry passwords. Kept while the destination is not enabled, too.
  rabbitmq bytea,
  nats bytea,
  -- Raised by every change, so that a sender which keeps a connection sees it.
  revision integer not null default 1,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (team_id, environment),
  foreign key (team_id, environment) references team_environment (team_id, environment)
);
select aliquot_protect('event_pipeline');
select aliquot_open_to_system('event_pipeline', 'select, insert, update, delete');

-- A broker that is enabled, and how it does. Its moments are on the system's clock: a broker knows no other.
-- leased_until is a sender's, one at a time; retry_at keeps all of them away from a broker that fails.
create table event_destination (
  team_id uuid not null,
  environment text not null,
  id uuid not null,
  broker text not null check (broker in ('rabbitmq', 'nats')),
  -- main: gets every event. reserve: stands in for one that has been failing for too long.
  role text not null check (role in ('main', 'reserve')),
  leased_until timestamptz,
  tried_at timestamptz,
  failures integer not null default 0,
  retry_at timestamptz,
  failing_since timestamptz,
  last_success_at timestamptz,
  last_failure_at timestamptz,
  last_error text,
  -- Up to this position of the log, what waits here has been given to the reserve as well.
  handed_over_to bigint not null default 0,
  created_at timestamptz not null,
  primary key (team_id, environment, id),
  unique (team_id, environment, broker),
  foreign key (team_id, environment) references event_pipeline (team_id, environment) on delete cascade
);
select aliquot_protect('event_destination');
select aliquot_open_to_system('event_destination', 'select, insert, update, delete');
create index event_destination_id on event_destination (id);
create index event_destination_failing on event_destination (failing_since) where failing_since is not null;

-- One row for each event that a destination is still owed; it goes when the broker has confirmed the event.
create table pipeline_delivery (
  team_id uuid not null,
  environment text not null,
  destination_id uuid not null,
  event_id uuid not null,
  position bigint not null,
  attempts integer not null default 0,
  -- On the system's clock. Later than its beginning only for what the broker refused by itself.
  due_wall timestamptz not null,
  last_error text,
  primary key (team_id, environment, destination_id, event_id),
  foreign key (team_id, environment, destination_id)
    references event_destination (team_id, environment, id) on delete cascade,
  foreign key (team_id, environment, event_id) references event (team_id, environment, id) on delete cascade
);
select aliquot_protect('pipeline_delivery');
select aliquot_open_to_system('pipeline_delivery', 'select, insert, update, delete');
create index pipeline_delivery_due on pipeline_delivery (destination_id, due_wall, position);
create index pipeline_delivery_position on pipeline_delivery (destination_id, position);
create index pipeline_delivery_of_event on pipeline_delivery (event_id);

alter table pipeline_delivery set (
  fillfactor = 80,
  autovacuum_vacuum_scale_factor = 0.01, autovacuum_vacuum_threshold = 1000,
  autovacuum_vacuum_insert_scale_factor = 0.05,
  autovacuum_analyze_scale_factor = 0.01, autovacuum_analyze_threshold = 500,
  autovacuum_vacuum_cost_delay = 0
);
alter table event_destination set (fillfactor = 50, autovacuum_vacuum_scale_factor = 0.05);
