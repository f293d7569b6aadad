-- Asking again for a job that waits, of which one is enough, wrote the job, its task and its queue anew each time. One
-- that waits is enough: it is held, so that nobody begins with it before the asking transaction has ended and shows what
-- the job is for, and the workers are told, since they may have passed it over. One that failed, or that begins later, is
-- brought forward as before.
create or replace function aliquot_enqueue_one(job text, payload json, one text) returns void
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
begin
  perform from graphile_worker._private_jobs as waiting
  where waiting.key = one and waiting.is_available and waiting.attempts = 0 and waiting.run_at <= now()
    and waiting.payload::text = aliquot_enqueue_one.payload::text
  for key share skip locked;
  if found then
    perform pg_notify('jobs:insert', format('{"r":%s,"count":1}', random()));
  else
    perform graphile_worker.add_job(job, payload, queue_name => one, job_key => one);
  end if;
end $$;
