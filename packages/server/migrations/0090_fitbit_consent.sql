-- Fitbit's Web API was shut down. Each of its connections is polled at once: the poll finds that the grant is for the
-- earlier API, marks the connection as failed and emits the event, so that the user can be asked to connect again.
-- Forced row-level security would hide the rows from their owner.
alter table timer no force row level security;
alter table connection no force row level security;
update timer t
set due_at = t.due_at - (t.due_wall - now()), due_wall = now()
from connection c
where t.job = 'wearables.poll' and t.team_id = c.team_id and t.environment = c.environment and t.key = c.id::text
  and c.provider = 'fitbit' and c.kind = 'oauth' and c.status = 'connected' and c.removed_at is null
  and t.due_wall > now();
alter table timer force row level security;
alter table connection force row level security;
