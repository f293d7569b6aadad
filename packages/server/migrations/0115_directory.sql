-- The directory of an organization (SCIM 2.0): which people and groups it has provisioned.

-- What the directory authenticates with; at most two work at a time. Of a token there is a digest only.
create table directory_token (
  id uuid primary key,
  org_id uuid not null references organization (id),
  label text not null,
  -- The visible beginning, to tell tokens apart.
  prefix text not null,
  digest bytea not null unique,
  -- The management key or the member.
  created_by uuid,
  created_at timestamptz not null,
  last_used_at timestamptz,
  -- Null: never.
  expires_at timestamptz,
  deleted_at timestamptz
);
create index directory_token_of_org on directory_token (org_id, id);

-- What the directory says about a member. A member without a row was never touched by it.
create table directory_user (
  org_id uuid not null,
  member_id uuid primary key,
  -- Whether the directory created the member: only then it may change the name and the e-mail address.
  is_provisioned boolean not null,
  -- Null: the e-mail address.
  user_name text,
  external_id text,
  formatted_name text,
  given_name text,
  family_name text,
  updated_at timestamptz not null,
  foreign key (org_id, member_id) references organization_member (org_id, id) on delete cascade
);
create unique index directory_user_name on directory_user (org_id, lower(user_name));

create table directory_group (
  org_id uuid not null references organization (id),
  id uuid not null,
  display_name text not null,
  external_id text,
  -- What members of the group may do: a list of {role, team_id, environment}. Set by owners, never by the directory.
  grants jsonb not null default '[]',
  -- Incremented by every change, also of the members.
  version integer not null default 1,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (org_id, id)
);
create unique index directory_group_name on directory_group (org_id, lower(display_name));

create table directory_group_member (
  org_id uuid not null,
  group_id uuid not null,
  member_id uuid not null,
  primary key (org_id, group_id, member_id),
  foreign key (org_id, group_id) references directory_group (org_id, id) on delete cascade,
  foreign key (org_id, member_id) references organization_member (org_id, id) on delete cascade
);
create index directory_group_member_of_member on directory_group_member (org_id, member_id);

create function aliquot_group_members_changed() returns trigger language plpgsql as $$
begin
  update directory_group g set version = g.version + 1
    where (g.org_id, g.id) in (select c.org_id, c.group_id from changed c);
  return null;
end $$;
create trigger directory_group_members_added after insert on directory_group_member
  referencing new table as changed for each statement execute function aliquot_group_members_changed();
create trigger directory_group_members_removed after delete on directory_group_member
  referencing old table as changed for each statement execute function aliquot_group_members_changed();

grant select, insert, update, delete
  on directory_token, directory_user, directory_group, directory_group_member to aliquot_system;

-- Who has a new address did not necessarily have the old one: what was opened with it, or mailed to it, ends.
create function aliquot_end_old_address() returns trigger language plpgsql as $$
begin
  delete from member_session where member_id = new.id;
  delete from member_pre_session where member_id = new.id;
  delete from member_link where member_id = new.id and used_at is null;
  return new;
end $$;
create trigger organization_member_address after update of email on organization_member
  for each row when (old.email is distinct from new.email) execute function aliquot_end_old_address();
