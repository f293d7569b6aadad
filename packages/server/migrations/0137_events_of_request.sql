-- The events that a request caused, from the page of that request. Positions follow in an update that rewrites the row,
-- and so an entry in every index that holds it: without `position is not null` each event would cost two entries. What
-- jobs, batches and earlier versions wrote has none. The id of a request is random unless the client chose it, so the
-- index stands alone, without the tenant, for the reason given at `event_of_user`.
-- Measured with 100,000 events of 800 bytes: 123 bytes of WAL an event, 5 % of what its insert and its position write;
-- 227 without that condition. 49 bytes of index an event.
-- Rollback: drop index event_of_request. Loses nothing.
create index event_of_request on event (request_id) where request_id is not null and position is not null;
