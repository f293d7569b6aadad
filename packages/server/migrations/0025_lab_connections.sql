-- A team's line to a laboratory. Orders go out by `outbound`, results come in by `inbound`.
create table lab_connection (
  team_id uuid not null,
  environment text not null,
  id uuid not null,
  lab text not null,
  name text not null,
  inbound text not null check (inbound in ('mllp', 'folder', 'https', 'none')),
  outbound text not null check (outbound in ('mllp', 'folder', 'none')),
  host text,
  port integer check (port between 1 and 65535),
  uses_tls boolean not null default true,
  -- Sealed: authorities, certificate and key in PEM.
  tls_material bytea,
  order_message text not null check (order_message in ('ORM_O01', 'OML_O21')),
  -- The parties as MSH-3 to MSH-6 name them: in results the laboratory sends, in orders we do.
  lab_application text not null,
  lab_facility text not null,
  our_application text not null,
  our_facility text not null,
  account_number text,
  -- The client certificate that messages have to come with; null takes any that the listener takes.
  client_fingerprint text,
  time_zone text not null,
  -- SHA-256 of the token that posts by HTTPS carry.
  token_digest bytea,
  enabled boolean not null default true,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  deleted_at timestamptz,
  primary key (team_id, environment, id),
  foreign key (team_id, environment) references team_environment (team_id, environment)
);
select aliquot_protect('lab_connection');
-- What comes names no tenant: the parties, or the token, tell whose it is.
select aliquot_open_to_system('lab_connection', 'select');
create unique index lab_connection_parties
  on lab_connection (lab_application, lab_facility, our_application, our_facility) where deleted_at is null;
create unique index lab_connection_token on lab_connection (token_digest) where token_digest is not null;
create index lab_connection_folder on lab_connection (id) where inbound = 'folder' and deleted_at is null;

-- Every message of a connection, byte for byte. `digest` is keyed, and tells two messages under one control id apart.
create table lab_message (
  team_id uuid not null,
  environment text not null,
  id uuid not null,
  connection_id uuid not null,
  direction text not null check (direction in ('in', 'out')),
  format text not null check (format in ('hl7', 'fhir')),
  way text not null check (way in ('mllp', 'folder', 'https')),
  -- In: stored, taken, dead. Out: queued, accepted, refused.
  status text not null,
  control_id text not null,
  message_type text not null,
  digest bytea not null,
  size_bytes integer not null,
  body bytea not null,
  -- Why it is dead or refused, or what hindered it last. Never what a message says of a person.
  reason text,
  -- How it was acknowledged, by us or by the laboratory.
  answer text check (answer in ('AA', 'AE', 'AR')),
  attempts integer not null default 0,
  -- When it is tried again, on the tenant's clock; null is as soon as can be.
  due_at timestamptz,
  -- The order that it places, withdraws or reports; the message goes when the order goes.
  order_id uuid,
  kind text check (kind in ('new', 'cancel')),
  placer text,
  created_at timestamptz not null,
  done_at timestamptz,
  primary key (team_id, environment, id),
  unique (team_id, environment, connection_id, direction, control_id, digest),
  foreign key (team_id, environment, connection_id)
    references lab_connection (team_id, environment, id) on delete cascade,
  foreign key (team_id, environment, order_id) references lab_order (team_id, environment, id) on delete cascade
);
select aliquot_protect('lab_message');
select aliquot_open_to_system('lab_message', 'insert, select (team_id, environment, id, connection_id, direction, control_id, digest, status, reason, answer)');
create index lab_message_of_connection on lab_message (team_id, environment, connection_id, id);
create index lab_message_waiting on lab_message (team_id, environment, connection_id, id) where status = 'stored';
create index lab_message_status on lab_message (team_id, environment, connection_id, status, id);
create index lab_message_of_order on lab_message (team_id, environment, order_id) where order_id is not null;
create unique index lab_message_order on lab_message (team_id, environment, order_id, kind) where direction = 'out';
create index lab_message_placer on lab_message (team_id, environment, placer) where placer is not null;

-- What came by the listener and belongs to no connection. Of no tenant; sealed with a key of the deployment.
create table lab_unclaimed_message (
  id uuid primary key,
  way text not null,
  remote_address text not null,
  fingerprint text,
  lab_application text not null,
  lab_facility text not null,
  our_application text not null,
  our_facility text not null,
  control_id text not null,
  digest bytea not null unique,
  size_bytes integer not null,
  body bytea not null,
  reason text not null,
  created_at timestamptz not null
);
grant select, insert, delete on lab_unclaimed_message to aliquot_system;
create index lab_unclaimed_message_age on lab_unclaimed_message (created_at);
