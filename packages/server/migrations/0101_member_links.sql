-- One-time links by which a person signs in. Of the token in the link there is a digest only.
create table member_link (
  id uuid primary key,
  org_id uuid not null references organization (id),
  -- Null: a link for the first owner of the organization, who becomes a member by using it.
  member_id uuid references organization_member (id) on delete cascade,
  purpose text not null check (purpose in ('first_owner', 'sign_in', 'password_reset')),
  digest bytea not null unique,
  created_at timestamptz not null,
  expires_at timestamptz not null,
  used_at timestamptz,
  check ((member_id is null) = (purpose = 'first_owner'))
);
create index member_link_of_organization on member_link (org_id, member_id);
create index member_link_of_member on member_link (member_id);

grant select, insert, update, delete on member_link to aliquot_system;
