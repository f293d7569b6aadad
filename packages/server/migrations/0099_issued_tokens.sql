-- Every token that a key issued and that opens something without that key: what it is for, and the key behind it. The
-- token itself is not here. A token works only while its row is there, was not ended, and its key works.
create table issued_token (
  team_id uuid not null,
  environment text not null,
  id uuid not null,
  kind text not null check (kind in ('access', 'sign_in', 'portal', 'link')),
  -- Null: it is about the whole team.
  user_id uuid,
  -- The key behind it, also where another token issued it.
  api_key_id uuid references api_key (id),
  management_key_id uuid references management_key (id),
  -- The signed-in member who issued it, instead of a key.
  member_id uuid references organization_member (id) on delete cascade,
  -- The token that issued it. No foreign key: an expired parent is deleted before its children.
  parent_id uuid,
  -- In system time.
  created_at timestamptz not null,
  -- On the clock of its kind.
  expires_at timestamptz not null,
  -- In system time: when it was revoked, or used up.
  ended_at timestamptz,
  primary key (team_id, environment, id),
  check ((kind = 'access') = (user_id is null)),
  check (num_nonnulls(api_key_id, management_key_id, member_id) = 1),
  foreign key (team_id, environment) references team_environment (team_id, environment),
  foreign key (team_id, environment, user_id) references app_user (team_id, environment, id)
    on delete cascade deferrable
);
select aliquot_protect('issued_token');
select aliquot_open_to_system('issued_token', 'select, insert, update, delete');
create index issued_token_of_user on issued_token (team_id, environment, user_id, id);
create index issued_token_of_member on issued_token (member_id) where member_id is not null;
create index issued_token_of_parent on issued_token (team_id, environment, parent_id) where parent_id is not null;

-- Link tokens of earlier versions have no row there, and no longer work.
alter table link_token
  add column token_id uuid,
  add foreign key (team_id, environment, token_id) references issued_token (team_id, environment, id)
    on delete cascade deferrable;
create index link_token_issued on link_token (team_id, environment, token_id);

-- What the key behind a token permits; no row where it was revoked or no longer belongs to the team. Tenants cannot read
-- keys, so this answers for them.
create function aliquot_issuing_key(api_key uuid, management_key uuid, member uuid, team uuid, env text)
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
  where p.id = $3 and t.id = $4
$$;
revoke all on function aliquot_issuing_key(uuid, uuid, uuid, uuid, text) from public;
grant execute on function aliquot_issuing_key(uuid, uuid, uuid, uuid, text) to aliquot_tenant, aliquot_system;

-- A token never outlives the privileges of the member who issued it: any change of them ends it in the same transaction.
create function aliquot_end_member_tokens() returns trigger language plpgsql as $$
begin
  delete from issued_token where member_id = new.id;
  return new;
end $$;

create trigger organization_member_tokens after update of role, team_ids, is_owner, roles on organization_member
  for each row when ((old.role, old.team_ids, old.is_owner, old.roles)
    is distinct from (new.role, new.team_ids, new.is_owner, new.roles))
  execute function aliquot_end_member_tokens();
