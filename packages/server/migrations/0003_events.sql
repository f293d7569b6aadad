-- The event log. A row is written in the transaction of the change that it tells of.
-- `position` is given afterwards, one event at a time and in the order of commits,
-- so that a reader by cursor never misses an event that committed late.
create table event (
  team_id uuid not null,
  environment text not null,
  id uuid not null,
  event_type text not null,
  user_id uuid,
  client_user_id text,
  data bytea not null,
  created_at timestamptz not null,
  position bigint,
  primary key (team_id, environment, id),
  foreign key (team_id, environment) references team_environment (team_id, environment)
);
select aliquot_protect('event');
select aliquot_open_to_system('event', 'select, update');
create unique index event_position on event (team_id, environment, position) where position is not null;
create index event_unplaced on event (id) where position is null;
-- Not behind the tenant columns: while statistics are young such an index ties with the primary key,
-- and the planner reads a tenant's whole log to find one user's events.
create index event_of_user on event (user_id);
create sequence event_position_seq;
grant usage on sequence event_position_seq to aliquot_system;
alter table event set (autovacuum_vacuum_scale_factor = 0.02, autovacuum_analyze_scale_factor = 0.02);
