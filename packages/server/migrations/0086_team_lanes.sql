-- The jobs of a team that ask laboratories, whichever they ask, have a name in the queue as well: a team whose laboratories
-- all hang held all the workers that ask any.
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
        concat_ws('/', each.payload ->> 'team_id', each.payload ->> 'environment', each.payload ->> 'lane'),
        concat_ws('/', each.payload ->> 'team_id', each.payload ->> 'environment')
      ] end
    )::graphile_worker.job_spec
    from (
      select job, payload::json as payload, place
      from unnest(jobs, payloads) with ordinality as given (job, payload, place)
    ) as each
    order by each.place
  ));
end $$;
