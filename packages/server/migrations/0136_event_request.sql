-- The x-request-id of the request to the team API in whose transaction an event was written; null for all others, such
-- as jobs, and for earlier events.
-- Rollback: alter table event drop column request_id. Loses which request caused an event.
alter table event add column request_id text;
