-- Filters that a member, or a program with a key, has saved under a name. Filters and names can contain what was searched
-- for, so that both are sealed.
create table saved_view (
  team_id uuid not null,
  environment text not null,
  id uuid not null,
  -- The member or the key.
  owner_id uuid not null,
  -- Set for a member: the views of a removed member are removed.
  member_id uuid references organization_member (id) on delete cascade,
  page text not null,
  document bytea not null,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (team_id, environment, id),
  foreign key (team_id, environment) references team_environment (team_id, environment)
);
select aliquot_protect('saved_view');
-- What is sealed cannot be packed.
alter table saved_view alter column document set storage external;
create index saved_view_of_owner on saved_view (team_id, environment, owner_id, id);
create index saved_view_of_member on saved_view (member_id) where member_id is not null;

-- There is one sealed column more: an exchange of a data key that is under way begins its round again.
alter table data_key_rotation no force row level security;
update data_key_rotation set place = 0, after = null, round_began_at = null, round_resealed = 0
where state in ('announced', 'sealing', 'stuck');
alter table data_key_rotation force row level security;
