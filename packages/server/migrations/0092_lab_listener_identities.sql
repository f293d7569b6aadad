-- A laboratory is recognized by what its connection was given: a port of its own, a token, a folder. Before, all
-- connections by MLLP shared one port, and the names in MSH-3 to MSH-6 decided whose message it was; any team could
-- claim names that nobody had. Names are now checked, not looked up, and need not be unique.
drop index lab_connection_parties;

alter table lab_connection
  -- The port of this connection alone. A deleted connection keeps it until an operator frees it.
  add column listener_port integer check (listener_port between 1 and 65535),
  -- Whether the names of this connection are found on the shared port. Only operators set it.
  add column shared_listener boolean not null default false,
  -- Whether messages must come with the names of the connection.
  add column checks_parties boolean not null default true,
  -- What is still accepted after a change, so that a laboratory can follow it.
  add column previous_client_fingerprint text,
  add column previous_client_fingerprint_until timestamptz,
  add column previous_token_digest bytea,
  add column previous_token_until timestamptz;
create unique index lab_connection_listener_port on lab_connection (listener_port) where listener_port is not null;
create unique index lab_connection_shared_parties
  on lab_connection (lab_application, lab_facility, our_application, our_facility) where shared_listener;
create unique index lab_connection_previous_token
  on lab_connection (previous_token_digest) where previous_token_digest is not null;
grant update (listener_port, shared_listener, updated_at) on lab_connection to aliquot_system;

-- The connection whose port or names it came by, if it did.
alter table lab_unclaimed_message add column connection_id uuid;

-- Forced row-level security would hide the rows from their owner.
alter table lab_connection no force row level security;

-- Names of files and posts were never checked.
update lab_connection set checks_parties = false where inbound in ('folder', 'https');

-- Connections of production teams keep the shared port. Names that a connection of another organization had before are
-- given to neither: an operator decides.
update lab_connection c set shared_listener = true
where c.inbound = 'mllp' and c.environment = 'production' and c.deleted_at is null
  and not exists (
    select from lab_connection former
    join team theirs on theirs.id = former.team_id
    join team ours on ours.id = c.team_id
    where former.deleted_at is not null and former.inbound = 'mllp' and theirs.org_id <> ours.org_id
      and (former.lab_application, former.lab_facility, former.our_application, former.our_facility)
        = (c.lab_application, c.lab_facility, c.our_application, c.our_facility));

-- Names that were released stay with the connection that had them last.
update lab_connection c set shared_listener = true
where c.id in (
    select distinct on (lab_application, lab_facility, our_application, our_facility) id
    from lab_connection
    where inbound = 'mllp' and environment = 'production' and deleted_at is not null
    order by lab_application, lab_facility, our_application, our_facility, deleted_at desc, id)
  and not exists (
    select from lab_connection next
    where next.inbound = 'mllp' and next.environment = 'production' and next.deleted_at is null
      and (next.lab_application, next.lab_facility, next.our_application, next.our_facility)
        = (c.lab_application, c.lab_facility, c.our_application, c.our_facility));
alter table lab_connection force row level security;
