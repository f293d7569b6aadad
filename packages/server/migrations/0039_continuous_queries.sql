-- Queries that are answered anew for each user whose data change. The definition does not change; who wants another one
-- archives it. A query is about columns and never about a person.
create table continuous_query (
  team_id uuid not null,
  environment text not null,
  id uuid not null,
  slug text not null,
  title text not null,
  query jsonb not null,
  config jsonb not null,
  -- What it reads: a change of these is a reason to answer it anew.
  resources text[] not null,
  -- At least so long between two evaluations for one user.
  minimum_gap_seconds integer check (minimum_gap_seconds > 0),
  data_events boolean not null,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  archived_at timestamptz,
  primary key (team_id, environment, id),
  foreign key (team_id, environment) references team_environment (team_id, environment)
);
select aliquot_protect('continuous_query');
select aliquot_open_to_system('continuous_query', 'select');
create unique index continuous_query_slug on continuous_query (team_id, environment, slug) where archived_at is null;

-- What a query last answered for a user. `document` is sealed: the rows.
create table continuous_query_result (
  team_id uuid not null,
  environment text not null,
  query_id uuid not null,
  user_id uuid not null,
  document bytea not null,
  -- Raised by every evaluation: one that began before another ended begins again.
  revision bigint not null,
  computed_at timestamptz not null,
  primary key (team_id, environment, query_id, user_id),
  foreign key (team_id, environment, query_id) references continuous_query (team_id, environment, id)
    on delete cascade,
  foreign key (team_id, environment, user_id) references app_user (team_id, environment, id)
    on delete cascade deferrable
);
select aliquot_protect('continuous_query_result');
create index continuous_query_result_of_user on continuous_query_result (team_id, environment, user_id);
alter table continuous_query_result alter column document set storage external;

-- Evaluations, done or to be done: at most one waits for each query and user.
create table continuous_query_task (
  team_id uuid not null,
  environment text not null,
  id uuid not null,
  query_id uuid not null,
  user_id uuid not null,
  status text not null check (status in ('scheduled', 'started', 'completed', 'error', 'skipped')),
  -- From here on, on the user's wall, something changed. Null: everything is looked at.
  changed_from timestamptz,
  scheduled_at timestamptz not null,
  started_at timestamptz,
  ended_at timestamptz,
  error_details text,
  primary key (team_id, environment, id),
  foreign key (team_id, environment, query_id) references continuous_query (team_id, environment, id)
    on delete cascade,
  foreign key (team_id, environment, user_id) references app_user (team_id, environment, id)
    on delete cascade deferrable
);
select aliquot_protect('continuous_query_task');
create unique index continuous_query_task_waiting on continuous_query_task (team_id, environment, query_id, user_id)
  where status = 'scheduled';
create index continuous_query_task_newest on continuous_query_task (team_id, environment, query_id, user_id, id);
create index continuous_query_task_of_user on continuous_query_task (team_id, environment, user_id);
