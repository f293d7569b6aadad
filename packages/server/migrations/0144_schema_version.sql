-- Which versions of Aliquot may use this schema: `newest` has migrated it, and processes older than `minimum` would fail on
-- it or misread it. A migration that takes something away raises `minimum` by its line `Contract:`.
-- Rollback: drop table schema_version. Loses only these numbers; older processes are then neither refused nor warned.
create table schema_version (
  is_only boolean primary key default true check (is_only),
  newest text not null,
  minimum text not null
);
insert into schema_version (newest, minimum) values ('0.2.0', '0.2.0');
-- The readiness of a process is examined as the tenant role.
grant select on schema_version to aliquot_tenant;
