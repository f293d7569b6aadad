-- The scheduled backup and its verification: one row each, so that one process of several carries them out.
create table backup_task (
  kind text primary key check (kind in ('backup', 'verify')),
  due_at timestamptz not null,
  lease_id uuid,
  leased_until timestamptz,
  tries integer not null default 0,
  -- The backup that the current run writes: a run that takes over removes what is left of it.
  working_on text,
  succeeded_at timestamptz,
  succeeded_name text,
  failed_at timestamptz,
  failure text
);
grant select, insert, update on backup_task to aliquot_system;
