-- A file of a wearable that was handed in, and how its reading goes. `outcome` is sealed: counts, what was skipped and
-- what could not be understood, in words of the file.
create table wearable_upload (
  team_id uuid not null,
  environment text not null,
  id uuid not null,
  user_id uuid not null,
  status text not null check (status in ('received', 'reading', 'completed', 'failed')),
  kind text not null,
  bytes bigint not null,
  -- Thousandths of the reading that are done.
  progress integer not null default 0,
  outcome bytea,
  -- Who is reading: let go by time alone. On the clock of the system, because the work is ours and not the tenant's.
  lease_id uuid,
  leased_until timestamptz,
  tries integer not null default 0,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (team_id, environment, id),
  foreign key (team_id, environment, user_id) references app_user (team_id, environment, id)
    on delete cascade deferrable initially immediate
);
select aliquot_protect('wearable_upload');
-- Uploads wait in one line for all tenants; of each only its place in the line is seen.
select aliquot_open_to_system('wearable_upload',
  'select (team_id, environment, id, status, lease_id, leased_until, tries), update (progress, lease_id, leased_until, tries)');
create index wearable_upload_waiting on wearable_upload (id) where status in ('received', 'reading');
create index wearable_upload_of_user on wearable_upload (team_id, environment, user_id);

-- Its file in the file storage. The row comes before the file and goes after it, so that no file is ever without one.
-- What has no upload, because it was read, came to nothing, or its user was erased, is removed from the storage.
create table wearable_file (
  team_id uuid not null,
  environment text not null,
  id uuid not null,
  upload_id uuid,
  -- On the clock of the system, like all that tells when to tidy up.
  made_at timestamptz not null,
  primary key (team_id, environment, id),
  foreign key (team_id, environment, upload_id) references wearable_upload (team_id, environment, id)
    on delete set null (upload_id)
);
select aliquot_protect('wearable_file');
select aliquot_open_to_system('wearable_file', 'select (team_id, environment, id, upload_id, made_at), delete');
create index wearable_file_of_upload on wearable_file (team_id, environment, upload_id);
create index wearable_file_of_nobody on wearable_file (made_at) where upload_id is null;
