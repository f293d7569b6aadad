-- One row that moves with every change of the shared catalogue, so that a process can tell by one number whether
-- what it remembers of labs and markers still holds.
create table catalog_version (
  id boolean primary key default true check (id),
  version bigint not null
);
insert into catalog_version (version) values (1);
grant select on catalog_version to aliquot_tenant, aliquot_system;

-- As the owner: those who may change a marker need no right to write the number itself.
create function aliquot_catalog_changed() returns trigger language plpgsql security definer set search_path = public as $$
begin
  update catalog_version set version = version + 1;
  return null;
end $$;

create trigger catalog_changed after insert or update or delete or truncate on lab
  for each statement execute function aliquot_catalog_changed();
create trigger catalog_changed after insert or update or delete or truncate on marker
  for each statement execute function aliquot_catalog_changed();
