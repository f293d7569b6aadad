-- Identity providers with which members of an organization sign in (OpenID Connect).
create table sso_connection (
  id uuid primary key,
  org_id uuid not null references organization (id),
  name text not null,
  issuer text not null,
  client_id text not null,
  client_authentication text not null
    check (client_authentication in ('client_secret_basic', 'client_secret_post', 'none')),
  -- Sealed with the key of the organization.
  client_secret bytea,
  -- Domains of e-mail addresses, each verified by the organization.
  domains text[] not null,
  is_active boolean not null,
  -- Members with an address of these domains sign in in no other way.
  is_enforced boolean not null,
  -- The role of members that are created at their first sign-in; null: none are created.
  default_role text check (default_role in ('developer', 'operations', 'clinician', 'readonly', 'support')),
  created_at timestamptz not null,
  changed_at timestamptz not null,
  unique (id, org_id),
  check ((client_secret is null) = (client_authentication = 'none')),
  check (is_active or not is_enforced)
);
create index sso_connection_of_organization on sso_connection (org_id, id);

-- So that a foreign key can demand that two rows are of one organization.
drop index organization_member_of_org;
alter table organization_member add constraint organization_member_of_org unique (org_id, id);

-- Accounts of identity providers, and the members that they are. An account never is a member of another organization
-- than that of the connection. Null: that member was removed; the account does not create another one.
create table sso_identity (
  connection_id uuid not null,
  subject text not null,
  org_id uuid not null,
  member_id uuid,
  created_at timestamptz not null,
  primary key (connection_id, subject),
  unique (connection_id, member_id),
  foreign key (connection_id, org_id) references sso_connection (id, org_id) on delete cascade,
  foreign key (member_id, org_id) references organization_member (id, org_id) on delete set null (member_id)
);
create index sso_identity_of_member on sso_identity (member_id);

-- Browsers that were sent to an identity provider, until they come back, once. Of the state and of the token in the
-- cookie there are digests only; verifier and nonce are derived from both.
create table sso_request (
  state bytea primary key,
  browser bytea not null,
  connection_id uuid not null references sso_connection (id) on delete cascade,
  -- The member who authenticates again, and the session; null to sign in.
  member_id uuid references organization_member (id) on delete cascade,
  session_id uuid references member_session (id) on delete cascade,
  return_to text,
  created_at timestamptz not null,
  expires_at timestamptz not null,
  check ((member_id is null) = (session_id is null))
);
create index sso_request_expiry on sso_request (expires_at);
create index sso_request_of_connection on sso_request (connection_id);
create index sso_request_of_session on sso_request (session_id);
create index sso_request_of_member on sso_request (member_id);

grant select, insert, update, delete on sso_connection, sso_identity, sso_request to aliquot_system;
