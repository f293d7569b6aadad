-- Positions in the access log come from one sequence of all tenants, so they told an organization, in the audit entries
-- of its seals, how much the others do. New entries have them encrypted, under a key of the tenant that is not secret
-- for readers of the database. It is stored, because an audit entry can never be written again with another key: keys
-- that are derived from the master key change with it.
alter table access_log_seal add column position_key bytea not null
  default sha256(convert_to(gen_random_uuid()::text || gen_random_uuid()::text, 'UTF8'));
