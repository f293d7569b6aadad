-- What a team key may do, and until when. expires_at is on the clock of the key's environment.
alter table api_key
  add column expires_at timestamptz,
  add column read_only boolean not null default false,
  -- null: every area. Otherwise the names of src/management/areas.ts.
  add column areas text[],
  -- The key that took its place when it was rotated; it lives on until expires_at.
  add column replaced_by uuid references api_key (id),
  -- When the events about its end were sent, each once.
  add column expiring_told_at timestamptz,
  add column expired_told_at timestamptz;

-- The end of the chain of each organization: without it nobody would miss the newest lines.
create table audit_head (
  org_id uuid primary key references organization (id),
  position bigint not null,
  digest bytea not null
);
grant select on audit_head to aliquot_system;

-- position: 1, 2, 3 ... within the organization. previous: the digest of the line before, zeros before the first.
alter table audit_log
  add column position bigint,
  add column previous bytea,
  add column digest bytea;

-- The digest of a line is of the one before and of every column. JSON prints lists and objects in one way only.
create function aliquot_deed_digest(deed audit_log) returns bytea
language sql stable set search_path = pg_catalog, pg_temp as $$
  select sha256(deed.previous || convert_to(jsonb_build_array(
    deed.org_id, deed.position, deed.id, deed.team_id, deed.actor, deed.action, deed.subject, deed.before, deed.after,
    deed.address, deed.request_id, (extract(epoch from deed.created_at) * 1000000)::bigint)::text, 'UTF8'))
$$;

-- The lines that are there already get their places by their ids, which grow with time.
do $$
declare
  deed record;
  head audit_head;
begin
  for deed in select id, org_id from audit_log order by org_id, id loop
    if head.org_id is distinct from deed.org_id then
      head := row(deed.org_id, 0, decode(repeat('00', 32), 'hex'))::audit_head;
    end if;
    update audit_log set position = head.position + 1, previous = head.digest where id = deed.id;
    update audit_log a set digest = aliquot_deed_digest(a) where id = deed.id returning a.digest into head.digest;
    head.position := head.position + 1;
    insert into audit_head values (head.org_id, head.position, head.digest)
      on conflict (org_id) do update set position = excluded.position, digest = excluded.digest;
  end loop;
end $$;

alter table audit_log
  alter column position set not null,
  alter column previous set not null,
  alter column digest set not null,
  add constraint audit_log_place unique (org_id, position);
drop index audit_log_of_org;
create index audit_log_of_team on audit_log (org_id, team_id, position);
create index audit_log_of_subject on audit_log (org_id, subject, position);

-- Whoever writes a line waits at the head for who wrote the one before, so that the chain never forks. The writer has
-- no right to touch the head but by this.
create function aliquot_chain_deed() returns trigger
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  head public.audit_head;
begin
  insert into public.audit_head values (new.org_id, 0, decode(repeat('00', 32), 'hex'))
    on conflict (org_id) do nothing;
  select * into head from public.audit_head where org_id = new.org_id for update;
  new.position := head.position + 1;
  new.previous := head.digest;
  new.digest := public.aliquot_deed_digest(new);
  update public.audit_head set position = new.position, digest = new.digest where org_id = new.org_id;
  return new;
end $$;
create trigger audit_chain before insert on audit_log for each row execute function aliquot_chain_deed();

-- For everybody, the owner of the tables too: nobody changes what was written by mistake.
create function aliquot_refuse_change() returns trigger language plpgsql as $$
begin
  raise exception 'The audit log is append-only';
end $$;
create trigger audit_append_only before update or delete or truncate on audit_log
  for each statement execute function aliquot_refuse_change();
