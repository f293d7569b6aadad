-- That a user lets us read from a provider, or that their own app pushes. `private` is sealed: what lets us read, the
-- user as the provider calls them, and how it failed.
create table connection (
  team_id uuid not null,
  environment text not null,
  id uuid not null,
  user_id uuid not null,
  provider text not null,
  kind text not null check (kind in ('oauth', 'demo', 'pushed')),
  status text not null check (status in ('connected', 'error', 'paused')),
  private bytea not null,
  -- A keyed digest of the user as the provider calls them: the provider's news name them so.
  external_index bytea,
  -- What it can tell: names of resources.
  resources text[] not null,
  fault text,
  errored_at timestamptz,
  -- On the system's clock. Until then somebody asks the provider for a new token, and nobody else does.
  renewing_until timestamptz,
  -- Everything until then was asked for.
  pulled_to timestamptz,
  -- Of a demonstration.
  expires_at timestamptz,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  -- Set: the user has none any more, and what is left waits to be given back to the provider.
  removed_at timestamptz,
  primary key (team_id, environment, id),
  check ((status = 'error') = (fault is not null)),
  foreign key (team_id, environment, user_id) references app_user (team_id, environment, id)
    on delete cascade deferrable
);
select aliquot_protect('connection');
create unique index connection_of_user on connection (team_id, environment, user_id, provider) where removed_at is null;
create index connection_external on connection (team_id, environment, provider, external_index)
  where removed_at is null and external_index is not null;
create index connection_of_provider on connection (team_id, environment, provider, id) where removed_at is null;
-- For the erasure of a user.
create index connection_any_of_user on connection (team_id, environment, user_id);

-- The past of a connection, resource by resource, the newest first: from reached_at on everything is here.
create table historical_pull (
  team_id uuid not null,
  environment text not null,
  connection_id uuid not null,
  resource text not null,
  status text not null check (status in ('scheduled', 'in_progress', 'retrying', 'success', 'failure')),
  range_start timestamptz not null,
  range_end timestamptz not null,
  reached_at timestamptz not null,
  days_with_data integer not null default 0,
  tries integer not null default 0,
  fault text,
  -- The bulk operation that asked for it last.
  bulk_op_id uuid,
  scheduled_at timestamptz not null,
  started_at timestamptz,
  ended_at timestamptz,
  primary key (team_id, environment, connection_id, resource),
  check ((status in ('success', 'failure')) = (ended_at is not null)),
  foreign key (team_id, environment, connection_id) references connection (team_id, environment, id)
    on delete cascade deferrable
);
select aliquot_protect('historical_pull');
create index historical_pull_of_bulk_op on historical_pull (team_id, environment, bulk_op_id) where bulk_op_id is not null;

-- What is to be asked for anew. `asks` grows when it is wanted again, so that what came in meanwhile is not forgotten.
create table due_pull (
  team_id uuid not null,
  environment text not null,
  connection_id uuid not null,
  resource text not null,
  from_at timestamptz not null,
  to_at timestamptz not null,
  asks integer not null default 1,
  primary key (team_id, environment, connection_id, resource),
  foreign key (team_id, environment, connection_id) references connection (team_id, environment, id)
    on delete cascade deferrable
);
select aliquot_protect('due_pull');

-- What a team gives to a user who is to connect something. The token itself is not here, its digest is.
create table link_token (
  team_id uuid not null,
  environment text not null,
  digest bytea not null,
  user_id uuid not null,
  -- Null: the user chooses, among filter_on_providers where there are any.
  provider text,
  filter_on_providers text[],
  redirect_url text,
  redirects_errors boolean not null,
  redirects_close boolean not null,
  expires_at timestamptz not null,
  used_at timestamptz,
  created_at timestamptz not null,
  primary key (team_id, environment, digest),
  foreign key (team_id, environment, user_id) references app_user (team_id, environment, id)
    on delete cascade deferrable
);
select aliquot_protect('link_token');
create index link_token_of_user on link_token (team_id, environment, user_id, created_at);

-- A user was sent to a provider and is to come back, once. `private` is sealed: the verifier of PKCE.
create table link_attempt (
  team_id uuid not null,
  environment text not null,
  -- Of the state that the user comes back with.
  digest bytea not null,
  token_digest bytea not null,
  provider text not null,
  private bytea not null,
  -- Of the cookie of the browser that went, where it went from our own page.
  browser bytea,
  expires_at timestamptz not null,
  primary key (team_id, environment, digest),
  foreign key (team_id, environment, token_digest) references link_token (team_id, environment, digest)
    on delete cascade deferrable
);
select aliquot_protect('link_attempt');
create index link_attempt_of_token on link_attempt (team_id, environment, token_digest);

-- A short code by which the app of a user can begin. Only its digest is here.
create table link_code (
  team_id uuid not null,
  environment text not null,
  digest bytea not null,
  user_id uuid not null,
  expires_at timestamptz not null,
  primary key (team_id, environment, digest),
  foreign key (team_id, environment, user_id) references app_user (team_id, environment, id)
    on delete cascade deferrable
);
select aliquot_protect('link_code');
create index link_code_of_user on link_code (team_id, environment, user_id);

-- When a user was refreshed in the last hour.
create table user_refresh (
  team_id uuid not null,
  environment text not null,
  user_id uuid not null,
  moments timestamptz[] not null,
  primary key (team_id, environment, user_id),
  foreign key (team_id, environment, user_id) references app_user (team_id, environment, id)
    on delete cascade deferrable
);
select aliquot_protect('user_refresh');

-- Something done to many connections. It names no user.
create table bulk_op (
  team_id uuid not null,
  environment text not null,
  id uuid not null,
  type text not null check (type in ('link_bulk_import', 'link_bulk_historical_trigger')),
  provider text not null,
  -- Connections that it was about.
  total integer not null,
  failed integer not null,
  started_at timestamptz not null,
  primary key (team_id, environment, id),
  foreign key (team_id, environment) references team_environment (team_id, environment)
);
select aliquot_protect('bulk_op');
