-- Token buckets that processes share (RATE_LIMIT_STORE=postgres). Unlogged: after a crash of the server, every bucket is
-- full again, as it is after a restart with buckets in memory.
create unlogged table rate_bucket (
  bucket text primary key,
  per_minute float8 not null,
  -- What the last request needed at least, wanted at most, and got.
  need float8 not null,
  want float8 not null,
  granted float8 not null,
  level float8 not null,
  -- By the clock of the database, which all processes share.
  updated_at timestamptz not null
);
grant select, insert, update, delete on rate_bucket to aliquot_system;
