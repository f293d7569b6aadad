-- The password of a member: an argon2id hash with its parameters and salt.
create table member_password (
  member_id uuid primary key references organization_member (id) on delete cascade,
  hash text not null,
  changed_at timestamptz not null
);

-- Attempts to sign in, counted by a keyed digest of an address of e-mail or network, whether or not there is such a
-- member: who guesses learns nothing from it.
create table sign_in_attempt (
  key bytea primary key,
  count integer not null,
  started_at timestamptz not null
);
create index sign_in_attempt_started on sign_in_attempt (started_at);

grant select, insert, update, delete on member_password, sign_in_attempt to aliquot_system;
