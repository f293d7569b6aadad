-- Addresses that members want to change to: each waits until the link that was sent there is confirmed.
-- Rollback: drop table member_email_change. Loses the changes that are not confirmed; members ask again.
create table member_email_change (
  -- One for each member: a new request replaces the one before, and its link.
  member_id uuid primary key references organization_member (id) on delete cascade,
  org_id uuid not null references organization (id),
  email text not null,
  -- Of the token in the link. The index finds a link, and no two are the same.
  digest bytea not null unique,
  created_at timestamptz not null,
  expires_at timestamptz not null
);

grant select, insert, update, delete on member_email_change to aliquot_system;
