-- The key of the deployment, from which keys outside tenants are derived, such as the one that signs access tokens.
-- It is wrapped by a key management service. No row: the ENCRYPTION_KEY takes its place.
create table deployment_key (
  id integer primary key default 1 check (id = 1),
  wrapped_key bytea not null,
  wrapped_by text not null
);
grant select, insert, update on deployment_key to aliquot_system;
