-- A job of which one at a time is enough, and one that waits: asking for it again while one waits asks for nothing.
create function aliquot_enqueue_one(job text, payload json, one text) returns void
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
begin
  perform graphile_worker.add_job(job, payload, queue_name => one, job_key => one);
end $$;
revoke all on function aliquot_enqueue_one(text, json, text) from public;
grant execute on function aliquot_enqueue_one(text, json, text) to aliquot_tenant, aliquot_system;
