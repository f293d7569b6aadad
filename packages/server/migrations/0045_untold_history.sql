-- What files brought of a user's past and nobody has been told of yet: from the first batch of an import to its end, or to
-- a timer, should the process fall. One row for each resource and provider, as one event will tell of it.
create table untold_history (
  team_id uuid not null,
  environment text not null,
  user_id uuid not null,
  provider text not null,
  resource text not null,
  first_at timestamptz not null,
  last_at timestamptz not null,
  primary key (team_id, environment, user_id, provider, resource),
  foreign key (team_id, environment, user_id) references app_user (team_id, environment, id)
    on delete cascade deferrable
);
select aliquot_protect('untold_history');
