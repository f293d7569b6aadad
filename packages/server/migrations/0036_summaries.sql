-- What is told as a whole: a sleep, a workout, a day. The id is made of user, resource, provider and key, so that the
-- same one finds its row again whoever brings it. `body` and `raw` are sealed; `digest` is a keyed digest of
-- what the reader sees, so that what is the same can be told without opening it.
create table wearable_summary (
  team_id uuid not null,
  environment text not null,
  id uuid not null,
  user_id uuid not null,
  resource text not null,
  provider text not null,
  -- The provider's id of it, or its day.
  key text not null,
  -- Where it came from, as its source stands in the list of sources.
  source_id bigint not null,
  source_type text not null,
  app_id text,
  device_id uuid,
  day date not null,
  at timestamptz not null,
  body bytea not null,
  raw bytea,
  digest bytea not null,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (team_id, environment, id),
  foreign key (team_id, environment, user_id) references app_user (team_id, environment, id)
    on delete cascade deferrable
);
select aliquot_protect('wearable_summary');
create index wearable_summary_by_day on wearable_summary (team_id, environment, user_id, resource, day, at, id);

-- What was measured second by second in a workout: its columns in one sealed piece.
create table workout_stream (
  team_id uuid not null,
  environment text not null,
  workout_id uuid not null,
  points integer not null,
  columns bytea not null,
  digest bytea not null,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (team_id, environment, workout_id),
  foreign key (team_id, environment, workout_id) references wearable_summary (team_id, environment, id)
    on delete cascade deferrable
);
select aliquot_protect('workout_stream');
-- A piece is packed when it comes; the server need not try again.
alter table wearable_summary alter column body set storage external, alter column raw set storage external;
alter table workout_stream alter column columns set storage external;
