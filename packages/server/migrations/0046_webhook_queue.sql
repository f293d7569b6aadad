-- The table of messages holds what is owed, held or given up. What was delivered leaves it with its attempt, which
-- touches no index; the attempt names its event by itself, and hangs on it.
alter table webhook_attempt add column event_id uuid;
-- Forced row-level security would hide the rows from their owner.
alter table webhook_attempt no force row level security;
alter table webhook_delivery no force row level security;
update webhook_attempt a set event_id = d.event_id from webhook_delivery d
where d.team_id = a.team_id and d.environment = a.environment and d.id = a.delivery_id;
alter table webhook_attempt alter column event_id set not null;
alter table webhook_attempt drop constraint webhook_attempt_pkey;
alter table webhook_attempt drop column delivery_id;
drop index webhook_attempt_id;
alter table webhook_attempt add primary key (team_id, environment, id);
create index webhook_attempt_of_event on webhook_attempt (event_id, endpoint_id);
alter table webhook_attempt add foreign key (team_id, environment, event_id)
  references event (team_id, environment, id) on delete cascade;

delete from webhook_delivery where status = 'delivered';
alter table webhook_delivery drop constraint webhook_delivery_status_check;
alter table webhook_delivery add constraint webhook_delivery_status_check
  check (status in ('pending', 'held', 'failed'));
alter table webhook_delivery drop column leased_until;
drop index webhook_delivery_id;
alter table webhook_attempt force row level security;
alter table webhook_delivery force row level security;

-- What each sender has taken, in one row that it writes anew with every taking. A row of the queue itself is not
-- written until there is an outcome. A crash of the database empties it, as it ends every lease.
create unlogged table webhook_lease (
  sender uuid primary key,
  leased_until timestamptz not null,
  messages uuid[] not null
) with (fillfactor = 50, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 100);
alter table webhook_lease alter column messages set storage external;
grant select, insert, update, delete on webhook_lease to aliquot_system;
