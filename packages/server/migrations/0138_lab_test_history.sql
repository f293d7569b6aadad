-- What happened to the lab tests of a team, and which of them is a new version of which. Earlier changes are not known:
-- the first change of an older lab test writes its creation too, with what it was until then.
-- Rollback: drop table lab_test_change; alter table lab_test drop column version_of. Loses history and versions.
create table lab_test_change (
  team_id uuid not null,
  environment text not null,
  lab_test_id uuid not null,
  -- Ids increase, so the primary key is also the order in which the page of a lab test reads them.
  id uuid not null,
  action text not null check (action in ('created', 'renamed', 'retired', 'activated', 'approved')),
  name text not null,
  status text not null,
  request_id text,
  at timestamptz not null,
  primary key (team_id, environment, lab_test_id, id),
  foreign key (team_id, environment, lab_test_id) references lab_test (team_id, environment, id)
);
select aliquot_protect('lab_test_change');

alter table lab_test add column version_of uuid;
alter table lab_test add foreign key (team_id, environment, version_of)
  references lab_test (team_id, environment, id);
-- Finds the later versions of a lab test. Few lab tests are one: the others cost nothing.
create index lab_test_version_of on lab_test (team_id, environment, version_of) where version_of is not null;
