-- A receiver of webhooks in the service itself, for sandboxes: an endpoint of the team whose URL has an unguessable
-- token. Only its digest is looked up.
-- Rollback: drop table webhook_inbox_request, webhook_inbox. Loses what the inboxes received; delete their endpoints first.
create table webhook_inbox (
  team_id uuid not null,
  environment text not null check (environment = 'sandbox'),
  endpoint_id uuid not null,
  token_digest bytea not null unique,
  -- What the next request is answered with.
  answer text not null default 'success' check (answer in ('success', 'failure', 'timeout')),
  created_at timestamptz not null,
  primary key (team_id, environment),
  foreign key (team_id, environment) references team_environment (team_id, environment),
  foreign key (team_id, environment, endpoint_id) references webhook_endpoint (team_id, environment, id) on delete cascade
);
select aliquot_protect('webhook_inbox');
select aliquot_open_to_system('webhook_inbox', 'select');

-- What arrived: at most 100 of a team, for seven days.
create table webhook_inbox_request (
  team_id uuid not null,
  environment text not null,
  id uuid not null,
  received_at timestamptz not null,
  -- The event of a request whose signature is valid: erased with it.
  event_id uuid,
  verification text not null check (verification in ('valid', 'missing', 'expired', 'invalid')),
  answer text not null check (answer in ('success', 'failure', 'timeout')),
  size_bytes integer not null,
  -- Sealed.
  head bytea not null,
  body bytea not null,
  primary key (team_id, environment, id),
  foreign key (team_id, environment) references webhook_inbox (team_id, environment) on delete cascade,
  foreign key (team_id, environment, event_id) references event (team_id, environment, id) on delete cascade
);
select aliquot_protect('webhook_inbox_request');
create index webhook_inbox_request_of_event on webhook_inbox_request (team_id, environment, event_id)
  where event_id is not null;
-- What is sealed cannot be packed.
alter table webhook_inbox_request alter column head set storage external, alter column body set storage external;

-- There are two sealed columns more: an exchange of a data key that is under way begins its round again.
alter table data_key_rotation no force row level security;
update data_key_rotation set place = 0, after = null, round_began_at = null, round_resealed = 0
where state in ('announced', 'sealing', 'stuck');
alter table data_key_rotation force row level security;
