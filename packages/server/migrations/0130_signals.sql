-- What the metrics say about queues and about work that waits for people: counts and ages, no row of a tenant.
-- Rollback: drop function aliquot_queue_state(); alter table event drop column traceparent. Loses the traces of events.

-- The tables of the job queue belong to the owner alone.
create function aliquot_queue_state()
returns table (job text, waiting bigint, running bigint, dead bigint, oldest_seconds double precision)
language plpgsql stable security definer set search_path = pg_catalog, pg_temp as $$
begin
  return query
    select j.task_identifier::text,
      count(*) filter (where j.locked_at is null and j.run_at <= now() and j.attempts < j.max_attempts),
      count(*) filter (where j.locked_at is not null),
      count(*) filter (where j.attempts >= j.max_attempts and j.locked_at is null),
      extract(epoch from now() - min(j.run_at)
        filter (where j.locked_at is null and j.run_at <= now() and j.attempts < j.max_attempts))::double precision
    from graphile_worker.jobs j group by 1;
end $$;
revoke all on function aliquot_queue_state() from public;
grant execute on function aliquot_queue_state() to aliquot_system;

select aliquot_open_to_system('critical_result',
  'select (team_id, environment, status, escalation_due_at)');
grant select (status, review_opened_at) on incoming_result to aliquot_system;

-- The trace of the request or job that caused an event, as a W3C traceparent: random numbers. Its webhooks continue it.
alter table event add column traceparent text;
