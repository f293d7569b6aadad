-- Whom the job of a timer asks: of the jobs that ask one and the same a process does some at a time, and leaves the others
-- in the queue. One laboratory that never answered held all workers who ask laboratories.
-- In the order in which the service takes them, as the next migration needs them all: whoever writes an order holds that
-- and wants its timer.
lock table lab_order, lab_order_event, timer in access exclusive mode;
alter table timer add column lane text;

create or replace function aliquot_enqueue_each(jobs text[], payloads text[]) returns void
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
begin
  perform graphile_worker.add_jobs(array(
    select row(
      each.job, each.payload, null,
      now() - (cardinality(jobs) - each.place) * interval '1 microsecond',
      null, null, null,
      -- The same names as in src/platform/jobs/lanes.ts.
      case when each.payload ->> 'lane' is not null then array[
        concat_ws('/', each.payload ->> 'environment', each.payload ->> 'lane'),
        concat_ws('/', each.payload ->> 'team_id', each.payload ->> 'environment', each.payload ->> 'lane')
      ] end
    )::graphile_worker.job_spec
    from (
      select job, payload::json as payload, place
      from unnest(jobs, payloads) with ordinality as given (job, payload, place)
    ) as each
    order by each.place
  ));
end $$;
