-- The newest appointment of an order, as its details name it. The order does not look into it.
alter table lab_order add column appointment_id uuid;
