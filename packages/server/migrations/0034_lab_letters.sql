-- Messages that reached nobody are listed over all tenants by whoever runs the deployment.
grant select (created_at, size_bytes) on lab_message to aliquot_system;
create index lab_message_dead on lab_message (id) where status = 'dead';
-- How the frame came, where it was not what it should be: a message that is claimed later is no better for it.
alter table lab_unclaimed_message add column flaw text;

-- The kit that has to be registered before the report can be looked at again.
alter table incoming_result add column awaits_kit uuid;
create index incoming_result_awaits_kit on incoming_result (team_id, environment, awaits_kit)
  where awaits_kit is not null;
select aliquot_open_to_system('incoming_result', 'select (team_id, environment, awaits_kit)');
