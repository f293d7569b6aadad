-- The apps of users sign in with a token that this service signs, and then hold an access token of an hour and a refresh
-- token. The tokens themselves are not stored.
-- Rollback: drop table user_app_key, drop the column link_code.token_id, the index link_code_digest and the policy system
-- of link_code, delete the tokens of the kinds app_access, app_refresh and link_code, and restore the check of 0124. Apps
-- of users have to sign in again.
-- The kinds are listed in token-kinds.ts alone: the list here would have to be replaced with each new one, which
-- processes of the previous version do not expect.
alter table issued_token drop constraint issued_token_kind_check;

-- The key pair that signs sign-in tokens of one team in one environment.
create table user_app_key (
  team_id uuid not null,
  environment text not null,
  public_key text not null,
  -- Sealed with the data key of the tenant.
  private bytea not null,
  created_at timestamptz not null,
  primary key (team_id, environment),
  foreign key (team_id, environment) references team_environment (team_id, environment)
);
-- Sealed bytes cannot be compressed.
alter table user_app_key alter column private set storage external;
select aliquot_protect('user_app_key');

-- A link code can be exchanged for a sign-in token, once. Codes of earlier versions have no row there, and cannot.
alter table link_code
  add column token_id uuid,
  add foreign key (team_id, environment, token_id) references issued_token (team_id, environment, id)
    on delete cascade deferrable;
create index link_code_issued on link_code (team_id, environment, token_id);
-- The code is the only credential: the service finds its tenant by it.
create index link_code_digest on link_code (digest);
select aliquot_open_to_system('link_code', 'select');
