-- The logo of a team: fetched once from its logo_url, or uploaded. Patients get it from the service, so that their
-- browsers and mail readers never ask the host of the logo.
create table brand_logo (
  team_id uuid not null,
  environment text not null,
  source text not null check (source in ('url', 'upload')),
  -- The logo_url that is fetched, or that an upload replaced.
  source_url text,
  state text not null check (state in ('waiting', 'stored', 'failed')),
  media_type text,
  width integer,
  height integer,
  -- The size in bytes before sealing.
  size integer,
  -- Sealed.
  content bytea,
  -- Of the current source.
  attempts integer not null default 0,
  failure text,
  next_attempt_at timestamptz,
  stored_at timestamptz,
  primary key (team_id, environment),
  foreign key (team_id, environment) references team_environment (team_id, environment)
);
select aliquot_protect('brand_logo');
-- What is sealed cannot be packed.
alter table brand_logo alter column content set storage external;

-- Teams that set a logo_url before: it is fetched now.
alter table team_environment no force row level security;
alter table brand_logo no force row level security;
alter table timer no force row level security;
insert into brand_logo (team_id, environment, source, source_url, state)
select e.team_id, e.environment, 'url', e.settings->>'logo_url', 'waiting'
from team_environment e join team t on t.id = e.team_id
where e.settings->>'logo_url' is not null and t.deleted_at is null;
insert into timer (team_id, environment, job, key, due_at, due_wall, input)
select team_id, environment, 'brand.fetch-logo', 'logo', now(), now(), '{}' from brand_logo;
alter table timer force row level security;
alter table brand_logo force row level security;
alter table team_environment force row level security;

-- There is one sealed column more: an exchange of a data key that is under way begins its round again.
alter table data_key_rotation no force row level security;
update data_key_rotation set place = 0, after = null, round_began_at = null, round_resealed = 0
where state in ('announced', 'sealing', 'stuck');
alter table data_key_rotation force row level security;
