-- A member without access, who keeps roles and factors for the day of a reactivation; set by hand or by the directory.
-- directory_roles: what the groups of the directory grant, a list of {role, team_id, environment} as in `roles`, and
-- also the role owner.
alter table organization_member
  add column deactivated_at timestamptz,
  add column directory_roles jsonb not null default '[]';

-- Deactivation ends at once, in the same transaction, what a member has open.
create function aliquot_end_deactivated_member() returns trigger language plpgsql as $$
begin
  delete from member_session where member_id = new.id;
  delete from member_pre_session where member_id = new.id;
  delete from member_link where member_id = new.id and used_at is null;
  delete from issued_token where member_id = new.id;
  return new;
end $$;

create trigger organization_member_deactivated after update of deactivated_at on organization_member
  for each row when (old.deactivated_at is null and new.deactivated_at is not null)
  execute function aliquot_end_deactivated_member();

drop trigger organization_member_tokens on organization_member;
create trigger organization_member_tokens after update of role, team_ids, is_owner, roles, directory_roles
  on organization_member
  for each row when ((old.role, old.team_ids, old.is_owner, old.roles, old.directory_roles)
    is distinct from (new.role, new.team_ids, new.is_owner, new.roles, new.directory_roles))
  execute function aliquot_end_member_tokens();

create or replace function aliquot_issuing_key(api_key uuid, management_key uuid, member uuid, team uuid, env text)
returns table (read_only boolean, areas text[], expires_at timestamptz)
language sql stable security definer set search_path = pg_catalog, pg_temp as $$
  select k.read_only, k.areas, k.expires_at from public.api_key k
  where k.id = $1 and k.team_id = $4 and k.environment = $5 and k.deleted_at is null
  union all
  select false, null::text[], m.expires_at
  from public.management_key m join public.team t on t.org_id = m.org_id
  where m.id = $2 and t.id = $4 and m.deleted_at is null
    and (m.role = 'org_admin' or exists (
      select from public.management_key_team b where b.management_key_id = m.id and b.team_id = t.id))
  union all
  select false, null::text[], null::timestamptz
  from public.organization_member p join public.team t on t.org_id = p.org_id
  where p.id = $3 and t.id = $4 and p.deactivated_at is null
$$;
