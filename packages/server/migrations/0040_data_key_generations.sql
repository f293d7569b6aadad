-- A tenant has several data keys while one takes the place of another: what was sealed with either opens.
alter table tenant_key
  add column generation smallint not null default 1 check (generation between 1 and 30000),
  add column state text not null default 'current' check (state in ('coming', 'current', 'retired')),
  -- Keyed digests are made with a key that outlives the data keys. Null: it follows from the first one.
  add column wrapped_index_key bytea;
alter table tenant_key drop constraint tenant_key_pkey;
alter table tenant_key add primary key (team_id, environment, generation);
create unique index tenant_key_current on tenant_key (team_id, environment) where state = 'current';
create unique index tenant_key_coming on tenant_key (team_id, environment) where state = 'coming';

-- The exchange of a data key, as far as it has come; the moments are those of the service, not of a sandbox clock.
create table data_key_rotation (
  team_id uuid not null,
  environment text not null,
  generation smallint not null,
  state text not null check (state in ('announced', 'sealing', 'done', 'stuck')),
  announced_at timestamptz not null,
  switched_at timestamptz,
  finished_at timestamptz,
  -- The round through all that is sealed: when it began, where it is, what it has sealed anew.
  round integer not null default 0,
  round_began_at timestamptz,
  round_resealed bigint not null default 0,
  place integer not null default 0,
  after text[],
  resealed bigint not null default 0,
  -- What does not open, when it is stuck; never a value.
  hindrance text,
  primary key (team_id, environment, generation),
  foreign key (team_id, environment) references team_environment (team_id, environment)
);
select aliquot_protect('data_key_rotation');
select aliquot_open_to_system('data_key_rotation', 'select, insert, update');
create unique index data_key_rotation_open on data_key_rotation (team_id, environment)
  where state in ('announced', 'sealing', 'stuck');

-- Which data key sealed a value; its first three bytes are enough to tell.
create function aliquot_sealed_by(sealed bytea) returns integer language sql immutable strict parallel safe as $$
  select case when get_byte(sealed, 0) <= 2 then 1 else get_byte(sealed, 1) * 256 + get_byte(sealed, 2) end
$$;
grant execute on function aliquot_sealed_by(bytea) to aliquot_tenant, aliquot_system;

-- What belongs to no tenant is sealed anew when ENCRYPTION_KEY changes.
grant update on lab_unclaimed_message to aliquot_system;
