-- When a user is erased, a message that brought reports of others too loses what it says of that user's orders, or, where
-- that cannot be told apart, all that it says.
alter table lab_message add column redacted_at timestamptz, add column redaction text check (redaction in ('parts', 'whole'));
