-- Positions count the events of one team in one environment: 1, 2, 3 ... A sequence that all teams shared told each of
-- them how many events the others have.
--
-- Waits for a fan-out in progress. One of an older version fails from here on, because the sequence is gone: it could
-- only give positions that a reader has passed already. Its events wait for a process of this version.
select pg_advisory_xact_lock(hashtextextended('aliquot.fan-out', 0));

-- The newest position that was given. The fan-out that locks the row places the events of the tenant.
create table event_log_head (
  team_id uuid not null,
  environment text not null,
  last_position bigint not null,
  primary key (team_id, environment),
  foreign key (team_id, environment) references team_environment (team_id, environment) on delete cascade
);
select aliquot_protect('event_log_head');
revoke insert, update, delete on event_log_head from aliquot_tenant;
select aliquot_open_to_system('event_log_head', 'select, insert, update');

-- Positions that were given stay as they are, because clients hold them as cursors, also of events that were erased
-- since. Every team goes on after the highest one, so that no cursor is ahead of its log. New teams begin with 1.
insert into event_log_head (team_id, environment, last_position)
select team_id, environment, last_value from team_environment, event_position_seq where is_called;
drop sequence event_position_seq;

-- By an expression, so that neither the primary key nor another index can be preferred while statistics are young: it
-- would read a tenant's whole log.
drop index event_unplaced;
create index event_waiting on event ((environment || team_id::text), id) where position is null;

-- Locks the logs of tenants with waiting events until the end of the transaction: those whose events wait longest, with
-- up to `most` events together. Skips those that another fan-out holds. `waiting` is how many to place.
create function aliquot_lock_event_logs(most int)
returns table (tenant uuid, env text, newest bigint, waiting int)
language plpgsql set search_path = pg_catalog, pg_temp as $$
declare
  log record;
  rest int := most;
begin
  for log in
    with recursive oldest as (
      (select e.environment || e.team_id::text as name, e.id, e.team_id, e.environment
        from public.event e where e.position is null
        order by e.environment || e.team_id::text, e.id limit 1)
      union all
      select n.* from oldest o cross join lateral (
        select e.environment || e.team_id::text as name, e.id, e.team_id, e.environment
        from public.event e where e.position is null and e.environment || e.team_id::text > o.name
        order by e.environment || e.team_id::text, e.id limit 1) n)
    select o.name, o.team_id, o.environment from oldest o order by o.id
  loop
    if not exists (select from public.event_log_head h
        where h.team_id = log.team_id and h.environment = log.environment) then
      -- An insert would wait for another fan-out that is inserting the same row.
      continue when not pg_try_advisory_xact_lock(hashtextextended('aliquot.event-log.' || log.name, 0));
      insert into public.event_log_head values (log.team_id, log.environment, 0) on conflict do nothing;
    end if;
    select h.last_position into newest from public.event_log_head h
      where h.team_id = log.team_id and h.environment = log.environment for update skip locked;
    continue when not found;
    -- Looks again: until this moment another fan-out may have placed them.
    select count(*) into waiting from (
      select from public.event e
      where e.position is null and e.environment || e.team_id::text = log.name limit rest) w;
    continue when waiting = 0;
    tenant := log.team_id;
    env := log.environment;
    return next;
    rest := rest - waiting;
    exit when rest = 0;
  end loop;
end $$;
grant execute on function aliquot_lock_event_logs(int) to aliquot_system;
