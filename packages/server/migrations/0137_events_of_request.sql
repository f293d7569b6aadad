-- The events that a request caused, from the page of that request. Positions follow in an update that rewrites the row,
-- and so an entry in every index that holds it: without `position is not null` each event would cost two entries. What
-- jobs, batches and earlier versions wrote has none. The id of a request is random unless the client chose it, so the
-- index stands alone, without the tenant, for the reason given at `event_of_user`.
-- Rollback: drop index event_of_request. Loses nothing.
create index event_of_request on event (request_id) where request_id is not null and position is not null;
