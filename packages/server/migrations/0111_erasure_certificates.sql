-- What the erasure of a user deleted and what remains, in counts and reasons: nothing about the person but the id. The
-- audit log has its digest. No foreign key: it outlives the user.
create table erasure_certificate (
  team_id uuid not null,
  environment text not null,
  about_user uuid not null,
  -- On the clock of the tenant.
  finished_at timestamptz not null,
  -- JSON, exactly as it was hashed.
  document text not null,
  -- SHA-256 of the document, in hexadecimal.
  digest text not null,
  primary key (team_id, environment, about_user),
  foreign key (team_id, environment) references team_environment (team_id, environment)
);
select aliquot_protect('erasure_certificate');
revoke all on erasure_certificate from aliquot_tenant;
grant select on erasure_certificate to aliquot_tenant;
select aliquot_open_to_system('erasure_certificate', 'select, insert');
create index erasure_certificate_by_time on erasure_certificate (team_id, environment, finished_at, about_user);
