-- Thousands of orders are of the same lab test, and each of their rows carried all of it: it was most of the row, written
-- anew with every step of an order and made text of with every reading. A team's orders share it now. What was ordered
-- stays what it was: a row is never changed nor taken away, and an order of a lab test that was changed has another.
create table ordered_lab_test (
  team_id uuid not null,
  environment text not null,
  -- The first half of the SHA-256 of the document's text.
  id uuid not null,
  document json not null,
  created_at timestamptz not null,
  primary key (team_id, environment, id),
  foreign key (team_id, environment) references team_environment (team_id, environment)
);

alter table lab_order no force row level security;
-- Not a foreign key: each order would lock the one row that all orders share. It is written in the order's transaction.
alter table lab_order add column ordered_test_id uuid;
update lab_order set ordered_test_id = encode(substring(sha256(convert_to(lab_test::text, 'UTF8')) for 16), 'hex')::uuid;
insert into ordered_lab_test (team_id, environment, id, document, created_at)
  select distinct on (team_id, environment, ordered_test_id)
    team_id, environment, ordered_test_id, lab_test::text::json, created_at
  from lab_order order by team_id, environment, ordered_test_id, created_at;
alter table lab_order alter column ordered_test_id set not null, drop column lab_test;
alter table lab_order force row level security;

select aliquot_protect('ordered_lab_test');
revoke update, delete on ordered_lab_test from aliquot_tenant;
