-- How long a team keeps a kind of data, where it differs from the default. Null: forever.
create table retention_policy (
  team_id uuid not null,
  environment text not null,
  kind text not null,
  keep_days integer check (keep_days > 0),
  primary key (team_id, environment, kind),
  foreign key (team_id, environment) references team_environment (team_id, environment)
);
select aliquot_protect('retention_policy');
select aliquot_open_to_system('retention_policy', 'select');

-- What a sweep of one kind on one day deleted: counts and times only. The audit log has a copy in its hash chain.
create table retention_sweep (
  team_id uuid not null,
  environment text not null,
  kind text not null,
  -- On the clock of the tenant.
  day date not null,
  id uuid not null,
  keep_days integer not null,
  -- Everything older was deleted, except what is still in use.
  deleted_before timestamptz not null,
  deleted bigint not null default 0,
  oldest timestamptz,
  newest timestamptz,
  -- In system time.
  finished_at timestamptz,
  primary key (team_id, environment, kind, day),
  foreign key (team_id, environment) references team_environment (team_id, environment)
);
create unique index retention_sweep_id on retention_sweep (team_id, environment, id);
select aliquot_protect('retention_sweep');
revoke all on retention_sweep from aliquot_tenant;
grant select on retention_sweep to aliquot_tenant;
select aliquot_open_to_system('retention_sweep', 'select, insert, update, delete');

-- Up to which position the retention of the tenant has removed events: an older cursor would skip them silently.
alter table event_log_head add column removed_to bigint not null default 0;
grant update (removed_to) on event_log_head to aliquot_tenant;

-- Up to which place lines of the access log were removed, and the position of the last seal of those lines.
alter table access_log_seal
  add column removed_to bigint not null default 0,
  add column removed_seal bigint not null default 0,
  add constraint access_log_seal_removed check (removed_to <= sealed_to);

-- Lines may be deleted only once this is recorded, and only by the system role; no other change is possible.
create function aliquot_refuse_access_removal() returns trigger language plpgsql as $$
begin
  if not exists (select from access_log_seal s
    where s.team_id = old.team_id and s.environment = old.environment and old.place <= s.removed_to) then
    raise exception 'The access log is append-only';
  end if;
  return old;
end $$;
drop trigger access_log_append_only on access_log;
create trigger access_log_append_only before update or truncate on access_log
  for each statement execute function aliquot_refuse_access_change();
create trigger access_log_removal before delete on access_log
  for each row execute function aliquot_refuse_access_removal();
grant delete on access_log to aliquot_system;

alter table lab_message drop constraint lab_message_redaction_check;
alter table lab_message add constraint lab_message_redaction_check
  check (redaction in ('parts', 'whole', 'expired')) not valid;
alter table lab_message validate constraint lab_message_redaction_check;

-- What the sweeps look for.
create index lab_message_by_age on lab_message (team_id, environment, created_at, id)
  where redaction is null or redaction = 'parts';
create index wearable_summary_raw_by_age on wearable_summary (team_id, environment, updated_at, id)
  where raw is not null;
