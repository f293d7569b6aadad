-- A key can permit assistants to read production, and an entry of the access log has the tool with which an assistant
-- made the call. The digest of an entry without a tool stays what it was, so existing seals stay valid.
-- Rollback: none needed. Earlier versions leave both columns at their defaults, and seal with this function.
alter table api_key add column assistants boolean not null default false;
alter table access_log add column assistant_tool text;

create or replace function aliquot_access_digest(team uuid, env text, behind bigint, upto bigint)
returns table (lines bigint, digest text)
language sql stable set search_path = pg_catalog, pg_temp as $$
  select count(*), encode(sha256(convert_to(coalesce(string_agg((jsonb_build_array(
    l.place, (extract(epoch from l.at) * 1000000)::bigint, l.kind, l.key_id, l.operation, l.method, l.status,
    l.about_user, l.about_order, l.about, l.address, l.request_id)
    || case when l.assistant_tool is null then '[]'::jsonb else jsonb_build_array(l.assistant_tool) end)::text,
    E'\n' order by l.place), ''), 'UTF8')), 'hex')
  from public.access_log l
  where l.team_id = team and l.environment = env and l.place > behind and l.place <= upto
$$;
