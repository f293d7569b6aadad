-- What the team wants of the patient's text messages for this order alone; null is as the team has it.
alter table lab_order add column sms_enabled boolean;
-- What an order that nobody has touched waits for; shown to the team, gone with its next step.
alter table lab_order add column waiting_reason text;

-- An order is recreated once; who wants to go on recreates its recreation.
create unique index lab_order_recreated on lab_order (team_id, environment, parent_id) where origin = 'recreation';
