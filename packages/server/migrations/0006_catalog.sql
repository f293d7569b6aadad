-- The laboratories' compendia. They belong to the deployment, not to a team: loaded from data/catalog at the start.
create table lab (
  id integer primary key,
  slug text not null unique,
  name text not null,
  first_line_address text not null,
  city text not null,
  zipcode text not null,
  collection_methods text[] not null,
  sample_types text[] not null
);

create table marker (
  id integer primary key,
  lab_id integer not null references lab (id),
  slug text not null,
  name text not null,
  description text,
  provider_id text,
  type text not null check (type in ('biomarker', 'panel')),
  unit text,
  price numeric(10, 2),
  aoe jsonb,
  expected_results jsonb not null,
  a_la_carte_enabled boolean not null,
  is_orderable boolean not null,
  common_tat_days integer,
  worst_case_tat_days integer,
  synonyms text[] not null,
  -- It left the catalogue; the orders that have it keep it.
  retired_at timestamptz
);
create index marker_provider_id on marker (provider_id, lab_id);

-- What a new team is given; read in the transaction that makes the team.
create table catalog_template (
  kind text not null check (kind in ('lab_test', 'lab_account')),
  position integer not null,
  body jsonb not null,
  primary key (kind, position)
);

-- One row: the checksum of the data files that are loaded.
create table catalog_load (
  id boolean primary key default true check (id),
  checksum text not null
);

grant select on lab, marker, catalog_template to aliquot_tenant;
grant select, insert, update on lab, marker, catalog_load to aliquot_system;
grant select, insert, delete on catalog_template to aliquot_system;

-- A team's lab tests. `marker_key` names the marker set of one that was made for an order, so that it is made once.
create table lab_test (
  team_id uuid not null,
  environment text not null,
  id uuid not null,
  slug text not null,
  name text not null,
  description text,
  lab_id integer not null references lab (id),
  sample_type text not null,
  method text not null
    check (method in ('testkit', 'walk_in_test', 'at_home_phlebotomy', 'on_site_collection')),
  price numeric(10, 2) not null,
  status text not null check (status in ('active', 'pending_approval', 'inactive')),
  fasting boolean not null,
  auto_generated boolean not null,
  registrable boolean not null,
  marker_key text,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (team_id, environment, id),
  foreign key (team_id, environment) references team_environment (team_id, environment),
  check (auto_generated = (marker_key is not null))
);
select aliquot_protect('lab_test');
create unique index lab_test_generated on lab_test (team_id, environment, marker_key);

create table lab_test_marker (
  team_id uuid not null,
  environment text not null,
  lab_test_id uuid not null,
  marker_id integer not null references marker (id),
  position integer not null,
  primary key (team_id, environment, lab_test_id, marker_id),
  foreign key (team_id, environment, lab_test_id) references lab_test (team_id, environment, id)
);
select aliquot_protect('lab_test_marker');

-- An account with a laboratory belongs to an organization; its allowlist says which teams may order through it.
alter table team add unique (id, org_id);

create table lab_account (
  id uuid primary key,
  org_id uuid not null references organization (id),
  environment text not null check (environment in ('production', 'sandbox')),
  lab text not null references lab (slug),
  status text not null check (status in ('active', 'pending', 'suspended', 'ready_to_launch')),
  delegated_flow text not null
    check (delegated_flow in ('order_delegated', 'result_delegated', 'fully_delegated', 'not_delegated')),
  provider_account_id text not null,
  account_name text,
  default_clinical_notes text,
  business_units text[],
  allowed_billing jsonb not null,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  unique (id, org_id, environment)
);
create index lab_account_of_org on lab_account (org_id, environment, created_at);

-- The foreign keys see to it that an account is only ever opened to a team of its own organization.
create table lab_account_team (
  team_id uuid not null,
  environment text not null,
  lab_account_id uuid not null,
  org_id uuid not null,
  primary key (team_id, environment, lab_account_id),
  foreign key (team_id, environment) references team_environment (team_id, environment),
  foreign key (team_id, org_id) references team (id, org_id),
  foreign key (lab_account_id, org_id, environment) references lab_account (id, org_id, environment)
);
select aliquot_protect('lab_account_team');
revoke update, delete on lab_account_team from aliquot_tenant;
select aliquot_open_to_system('lab_account_team', 'select, insert, delete');
create index lab_account_team_account on lab_account_team (lab_account_id);

alter table lab_account enable row level security;
alter table lab_account force row level security;
create policy allowlisted on lab_account for select to aliquot_tenant
  using (environment = current_setting('aliquot.environment', true)
    and id in (select lab_account_id from lab_account_team));
-- A new tenant is given its first accounts as that tenant.
create policy own_organization on lab_account for insert to aliquot_tenant
  with check (environment = current_setting('aliquot.environment', true)
    and org_id = (select org_id from team where id = nullif(current_setting('aliquot.team_id', true), '')::uuid));
grant select, insert on lab_account to aliquot_tenant;
select aliquot_open_to_system('lab_account', 'select, insert, update');
