-- The people of an organization, and whom it has invited. Addresses are kept in lower case. They are staff, not
-- patients, and of no tenant, so they stand in clear.
create table organization_member (
  id uuid primary key,
  org_id uuid not null references organization (id),
  email text not null,
  name text not null,
  role text not null check (role in ('org_admin', 'team_admin', 'no_role')),
  -- The teams of a team_admin.
  team_ids uuid[] not null default '{}',
  created_at timestamptz not null,
  unique (org_id, email)
);
create index organization_member_of_org on organization_member (org_id, id);

-- It goes when it is accepted or withdrawn. Of its token there is a digest only.
create table organization_invite (
  id uuid primary key,
  org_id uuid not null references organization (id),
  email text not null,
  role text not null check (role in ('org_admin', 'team_admin', 'no_role')),
  team_ids uuid[] not null default '{}',
  digest bytea not null unique,
  created_by uuid,
  invited_at timestamptz not null,
  resent_at timestamptz,
  expires_at timestamptz not null,
  unique (org_id, email)
);
create index organization_invite_of_org on organization_invite (org_id, id);

-- Domains that an organization says are its own. The token stands in a TXT record of the domain, for all to read.
create table organization_domain (
  id uuid primary key,
  org_id uuid not null references organization (id),
  domain text not null,
  token text not null,
  -- failed: the record was there and said something else.
  status text not null check (status in ('pending', 'verified', 'failed')),
  checked_at timestamptz,
  verified_at timestamptz,
  created_at timestamptz not null,
  unique (org_id, domain),
  check ((status = 'verified') = (verified_at is not null))
);
-- One organization at most has proved that a domain is its own.
create unique index organization_domain_verified on organization_domain (domain) where status = 'verified';

-- What a record system (EHR) needs to know to show the service within itself; one for each organization.
create table ehr_configuration (
  org_id uuid primary key references organization (id),
  slug text not null unique,
  modalities text[] not null,
  origin_configs jsonb not null,
  updated_at timestamptz not null
);

-- People of that system, under its ids. team_ids null: not bound to teams.
create table ehr_member (
  id uuid primary key,
  org_id uuid not null references organization (id),
  integration_member_id text not null,
  name text not null,
  email text not null,
  avatar text,
  team_ids uuid[],
  created_at timestamptz not null,
  updated_at timestamptz not null,
  unique (org_id, integration_member_id)
);
create index ehr_member_of_org on ehr_member (org_id, id);

grant select, insert, update, delete
  on organization_member, organization_invite, organization_domain, ehr_configuration, ehr_member to aliquot_system;

-- The record system of a tenant. `authentication` is sealed.
create table ehr_pipeline (
  team_id uuid not null,
  environment text not null,
  id uuid not null,
  ehr_type text not null check (ehr_type in ('fhir', 'hint_health')),
  type text not null check (type in ('native', 'ehr_linked')),
  base_url text not null,
  authentication bytea not null,
  -- null: all.
  allowed_mappers text[],
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (team_id, environment, id),
  unique (team_id, environment, ehr_type),
  foreign key (team_id, environment) references team_environment (team_id, environment)
);
select aliquot_protect('ehr_pipeline');
select aliquot_open_to_system('ehr_pipeline', 'select, insert, update, delete');

-- A team's own account with a provider, laboratory or courier. `private` is sealed: the client id, the secret, and
-- what else the provider gave.
create table provider_credential (
  team_id uuid not null,
  environment text not null,
  id uuid not null,
  source text not null,
  private bytea not null,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (team_id, environment, id),
  unique (team_id, environment, source),
  foreign key (team_id, environment) references team_environment (team_id, environment)
);
select aliquot_protect('provider_credential');
select aliquot_open_to_system('provider_credential', 'select, insert, update, delete');

-- How far back a first connection reads. overrides: resource to days.
create table data_pull_preference (
  team_id uuid not null,
  environment text not null,
  provider text not null,
  default_days integer not null,
  overrides jsonb not null,
  updated_at timestamptz not null,
  primary key (team_id, environment, provider),
  foreign key (team_id, environment) references team_environment (team_id, environment)
);
select aliquot_protect('data_pull_preference');
select aliquot_open_to_system('data_pull_preference', 'select, insert, update, delete');

-- What a user is asked to grant at a provider. A matter of the team; the same stands for both environments.
create table scope_requirement (
  team_id uuid not null,
  environment text not null,
  provider text not null,
  must_grant text[] not null,
  may_grant text[] not null,
  updated_at timestamptz not null,
  primary key (team_id, environment, provider),
  foreign key (team_id, environment) references team_environment (team_id, environment)
);
select aliquot_protect('scope_requirement');
select aliquot_open_to_system('scope_requirement', 'select, insert, update, delete');

-- Whose data count first where several providers tell the same; 1 is the first.
create table source_priority (
  team_id uuid not null,
  environment text not null,
  data_type text not null,
  provider text not null,
  priority integer not null check (priority > 0),
  primary key (team_id, environment, data_type, provider),
  foreign key (team_id, environment) references team_environment (team_id, environment)
);
select aliquot_protect('source_priority');
