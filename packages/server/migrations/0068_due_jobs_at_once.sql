-- Puts many jobs into the queue, in the order in which they are given. One call for each wrote, and told the workers, so
-- many times: ten thousand timers that are due in the same moment then held up, for seconds, what is due after them.
create function aliquot_enqueue_each(jobs text[], payloads text[]) returns void
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
begin
  perform graphile_worker.add_jobs(array(
    select row(
      each.job, each.payload::json, null,
      now() - (cardinality(jobs) - each.place) * interval '1 microsecond',
      null, null, null, null
    )::graphile_worker.job_spec
    from unnest(jobs, payloads) with ordinality as each (job, payload, place)
  ));
end $$;
revoke all on function aliquot_enqueue_each(text[], text[]) from public;
grant execute on function aliquot_enqueue_each(text[], text[]) to aliquot_system;
