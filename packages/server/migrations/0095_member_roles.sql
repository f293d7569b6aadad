-- Roles of our own beside the roles of the interface: owners, and roles bound to a team and an environment.
alter table organization_member
  add column is_owner boolean not null default false,
  -- A list of {role, team_id, environment}; null is the whole organization, and both environments.
  add column roles jsonb not null default '[]',
  add constraint organization_member_owner check (not is_owner or role = 'org_admin');
alter table organization_invite
  add column is_owner boolean not null default false,
  add column roles jsonb not null default '[]',
  add constraint organization_invite_owner check (not is_owner or role = 'org_admin');

-- Every organization needs an owner: the one who has been its administrator for the longest time.
update organization_member m set is_owner = true
  where m.id = (select o.id from organization_member o where o.org_id = m.org_id and o.role = 'org_admin'
    order by o.created_at, o.id limit 1);

alter table access_log drop constraint access_log_kind_check;
alter table access_log add constraint access_log_kind_check
  check (kind in ('api_key', 'access_token', 'break_glass', 'user', 'management_key', 'member'));
