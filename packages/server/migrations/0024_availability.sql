-- The free slots of patient service centers that a team asks about with allow_stale, as the provider last said.
-- Of sites, never of a patient's home. `asked_at` says whether anybody still cares; all moments are the tenant's.
create table kept_availability (
  team_id uuid not null,
  environment text not null,
  provider text not null,
  place_code text not null,
  -- The place as it was asked about, to ask again; `place_hash` tells whether another question means the same.
  place text not null,
  place_hash text not null,
  -- The days that `slots` covers, in the place's own time zone.
  first_day text not null,
  days integer not null,
  slots text not null,
  asked_at timestamptz not null,
  refreshed_at timestamptz not null,
  primary key (team_id, environment, provider, place_code),
  foreign key (team_id, environment) references team_environment (team_id, environment)
);
select aliquot_protect('kept_availability');

-- When what is kept of a provider is going to be refreshed next: whether somebody sees to it already.
create table availability_round (
  team_id uuid not null,
  environment text not null,
  provider text not null,
  next_at timestamptz not null,
  primary key (team_id, environment, provider),
  foreign key (team_id, environment) references team_environment (team_id, environment)
);
select aliquot_protect('availability_round');
