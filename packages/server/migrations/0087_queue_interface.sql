-- Jobs name their tenant as a flag, which the queue's public view shows, unlike the payload: what waits for the jobs of a
-- tenant no longer reads the queue's private tables. The prefix keeps the flag apart from those of lanes.
create function aliquot_tenant_flag(payload json) returns text
language sql immutable set search_path = pg_catalog, pg_temp as $$
  select concat_ws('/', 'tenant', payload ->> 'team_id', payload ->> 'environment')
$$;
revoke all on function aliquot_tenant_flag(json) from public;

create or replace function aliquot_enqueue(job text, payload json) returns void
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
begin
  perform graphile_worker.add_job(job, payload, flags => array[public.aliquot_tenant_flag(payload)]);
end $$;

create or replace function aliquot_enqueue_each(jobs text[], payloads text[]) returns void
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
begin
  perform graphile_worker.add_jobs(array(
    select row(
      each.job, each.payload, null,
      now() - (cardinality(jobs) - each.place) * interval '1 microsecond',
      null, null, null,
      public.aliquot_tenant_flag(each.payload) ||
      -- The same names as in src/platform/jobs/lanes.ts.
      case when each.payload ->> 'lane' is not null then array[
        concat_ws('/', each.payload ->> 'environment', each.payload ->> 'lane'),
        concat_ws('/', each.payload ->> 'team_id', each.payload ->> 'environment', each.payload ->> 'lane'),
        concat_ws('/', each.payload ->> 'team_id', each.payload ->> 'environment')
      ] else '{}'::text[] end
    )::graphile_worker.job_spec
    from (
      select job, payload::json as payload, place
      from unnest(jobs, payloads) with ordinality as given (job, payload, place)
    ) as each
    order by each.place
  ));
end $$;

-- A session with aliquot.queue_interface = 'public' (the plain database driver) uses the queue's public functions only:
-- add_job replaces a job that waits. The other way locks it, which writes neither the job nor its task nor its queue, and
-- notifies the workers as the queue itself does; for that it must know the queue's tables and its channel.
create or replace function aliquot_enqueue_one(job text, payload json, one text) returns void
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
begin
  if current_setting('aliquot.queue_interface', true) is distinct from 'public' then
    perform from graphile_worker._private_jobs as waiting
    where waiting.key = one and waiting.is_available and waiting.attempts = 0 and waiting.run_at <= now()
      and waiting.payload::text = aliquot_enqueue_one.payload::text
    for key share skip locked;
    if found then
      perform pg_notify('jobs:insert', format('{"r":%s,"count":1}', random()));
      return;
    end if;
  end if;
  perform graphile_worker.add_job(
    job, payload, queue_name => one, job_key => one, flags => array[public.aliquot_tenant_flag(payload)]);
end $$;

-- Jobs that were enqueued before this migration have no flag and are not counted: a sandbox clock that is moved in these
-- seconds does not wait for them.
create or replace function aliquot_runnable_jobs(team uuid, env text) returns bigint
language plpgsql stable security definer set search_path = pg_catalog, pg_temp as $$
begin
  return (
    select count(*) from graphile_worker.jobs
    where run_at <= now() and attempts < max_attempts
      and flags ? public.aliquot_tenant_flag(json_build_object('team_id', team, 'environment', env))
  );
end $$;
