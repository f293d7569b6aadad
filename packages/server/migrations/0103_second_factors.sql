-- The data key of an organization, wrapped by ENCRYPTION_KEY: it seals the secrets of members, who belong to no tenant.
create table organization_key (
  org_id uuid primary key references organization (id),
  wrapped_key bytea not null,
  created_at timestamptz not null
);

-- How the members of an organization must sign in. Without a row: a password is enough.
create table organization_sign_in (
  org_id uuid primary key references organization (id),
  require_second_factor boolean not null,
  changed_at timestamptz not null
);

-- The authenticator app of a member (RFC 6238). A secret becomes a factor when a code of it was shown; until then it is
-- pending, and a confirmed one stays valid.
create table member_totp (
  member_id uuid primary key references organization_member (id) on delete cascade,
  secret bytea,
  confirmed_at timestamptz,
  -- The 30 seconds of the last accepted code: neither that code nor an older one is accepted again.
  last_step integer,
  pending bytea,
  pending_until timestamptz,
  check ((secret is null) = (confirmed_at is null)),
  check ((secret is null) = (last_step is null)),
  check ((pending is null) = (pending_until is null)),
  check (secret is not null or pending is not null)
);

-- Single-use codes for a member who lost the second factor: digests of 80 random bits.
create table member_recovery_code (
  member_id uuid not null references organization_member (id) on delete cascade,
  digest bytea not null,
  created_at timestamptz not null,
  used_at timestamptz,
  primary key (member_id, digest)
);

-- Members who have shown a password or a link, and must show a second factor, or enroll one. It permits nothing else.
create table member_pre_session (
  id uuid primary key,
  org_id uuid not null references organization (id),
  member_id uuid not null references organization_member (id) on delete cascade,
  digest bytea not null unique,
  method text not null check (method in ('password', 'link')),
  created_at timestamptz not null,
  expires_at timestamptz not null
);
create index member_pre_session_of_member on member_pre_session (member_id);

grant select, insert, update, delete
  on organization_key, organization_sign_in, member_totp, member_recovery_code, member_pre_session to aliquot_system;
