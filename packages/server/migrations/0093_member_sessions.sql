-- The sessions of signed-in members. Of the token in the cookie there is a digest only. Address and user agent are
-- those of staff, shown to the member so that a foreign session is recognized.
create table member_session (
  id uuid primary key,
  org_id uuid not null references organization (id),
  member_id uuid not null references organization_member (id) on delete cascade,
  digest bytea not null unique,
  -- How the member signed in. link: a one-time link of the operator.
  method text not null check (method in ('password', 'passkey', 'sso', 'link')),
  address text not null,
  user_agent text,
  created_at timestamptz not null,
  -- When credentials were last shown.
  authenticated_at timestamptz not null,
  last_seen_at timestamptz not null,
  -- However active it is, it ends then.
  expires_at timestamptz not null
);
create index member_session_of_member on member_session (member_id, id);

grant select, insert, update, delete on member_session to aliquot_system;

-- A session never outlives the privileges that it began with: any change of a role or of teams ends it in
-- the same transaction.
create function aliquot_end_member_sessions() returns trigger language plpgsql as $$
begin
  delete from member_session where member_id = new.id;
  return new;
end $$;

create trigger organization_member_privileges after update of role, team_ids on organization_member
  for each row when (old.role is distinct from new.role or old.team_ids is distinct from new.team_ids)
  execute function aliquot_end_member_sessions();
