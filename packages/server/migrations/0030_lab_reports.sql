-- A lab report that was handed in, and how its reading goes. `data` is what was read, sealed, with the places of
-- its values.
create table lab_report_job (
  team_id uuid not null,
  environment text not null,
  id uuid not null,
  user_id uuid not null,
  status text not null check (status in ('upload_pending', 'started', 'pending_review', 'completed', 'failed')),
  failure_reason text,
  needs_human_review boolean not null,
  is_reviewed boolean not null default false,
  pages integer not null,
  data bytea,
  -- Who is reading: let go by time alone. On the clock of the system, because the work is ours and not the tenant's.
  lease_id uuid,
  leased_until timestamptz,
  tries integer not null default 0,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (team_id, environment, id),
  foreign key (team_id, environment, user_id) references app_user (team_id, environment, id) on delete cascade
);
select aliquot_protect('lab_report_job');
-- Reports wait in one line for all tenants; of each only its place in the line is seen.
select aliquot_open_to_system('lab_report_job',
  'select (team_id, environment, id, status, lease_id, leased_until, tries), update (lease_id, leased_until, tries)');
create index lab_report_job_waiting on lab_report_job (id) where status in ('upload_pending', 'started');
create index lab_report_job_of_user on lab_report_job (team_id, environment, user_id);

-- A file in the file storage. The row comes before the file and goes after it, so that no file is ever without one.
-- What has no job, because nothing came of the upload or the user was erased, is removed from the storage.
create table lab_report_file (
  team_id uuid not null,
  environment text not null,
  id uuid not null,
  job_id uuid,
  place integer,
  media_type text,
  -- On the clock of the system, like all that tells when to tidy up.
  made_at timestamptz not null,
  primary key (team_id, environment, id),
  foreign key (team_id, environment, job_id) references lab_report_job (team_id, environment, id)
    on delete set null (job_id)
);
select aliquot_protect('lab_report_file');
select aliquot_open_to_system('lab_report_file', 'select (team_id, environment, id, job_id, made_at), delete');
create index lab_report_file_of_job on lab_report_file (team_id, environment, job_id, place);
create index lab_report_file_of_nobody on lab_report_file (made_at) where job_id is null;

-- What a reviewer changed, by whom and when. `changes` is sealed: fields with their values before and after.
create table lab_report_review (
  team_id uuid not null,
  environment text not null,
  job_id uuid not null,
  key_id uuid not null,
  reviewer bytea,
  changes bytea not null,
  reviewed_at timestamptz not null,
  primary key (team_id, environment, job_id),
  foreign key (team_id, environment, job_id) references lab_report_job (team_id, environment, id) on delete cascade
);
select aliquot_protect('lab_report_review');
