-- The passkeys of members (WebAuthn): public keys only. A credential belongs to one member.
create table member_passkey (
  id uuid primary key,
  member_id uuid not null references organization_member (id) on delete cascade,
  -- As the authenticator chose it, in base64url.
  credential_id text not null unique,
  public_key bytea not null,
  -- How often the authenticator was used, if it counts; it never goes back.
  counter bigint not null,
  transports text[] not null,
  name text not null,
  created_at timestamptz not null,
  last_used_at timestamptz
);
create index member_passkey_of_member on member_passkey (member_id, id);

-- What an authenticator must sign, once. It is bound to a browser by the digest of a token in a cookie.
create table passkey_challenge (
  browser bytea primary key,
  challenge text not null,
  -- For the registration by this member; null to sign in.
  member_id uuid references organization_member (id) on delete cascade,
  expires_at timestamptz not null
);
create index passkey_challenge_expiry on passkey_challenge (expires_at);
create index passkey_challenge_of_member on passkey_challenge (member_id);

grant select, insert, update, delete on member_passkey, passkey_challenge to aliquot_system;
