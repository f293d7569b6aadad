-- Who pays for a user, sealed as one document. A new insurance replaces the current one of its kind;
-- the replaced ones stay as history.
create table health_insurance (
  team_id uuid not null,
  environment text not null,
  id uuid not null,
  user_id uuid not null,
  is_primary boolean not null,
  document bytea not null,
  created_at timestamptz not null,
  -- Null: this one is current.
  replaced_at timestamptz,
  primary key (team_id, environment, id),
  foreign key (team_id, environment, user_id) references app_user (team_id, environment, id) on delete cascade
);
select aliquot_protect('health_insurance');
create unique index health_insurance_current
  on health_insurance (team_id, environment, user_id, is_primary) where replaced_at is null;
create index health_insurance_of_user on health_insurance (team_id, environment, user_id);

-- The payors that a team knows beside those of the directory. `address` is json, not jsonb: any text fits.
create table team_payor (
  team_id uuid not null,
  environment text not null,
  payor_code text not null,
  name text not null,
  address json not null,
  provider text,
  provider_payor_id text,
  created_at timestamptz not null,
  primary key (team_id, environment, payor_code),
  foreign key (team_id, environment) references team_environment (team_id, environment)
);
select aliquot_protect('team_payor');
