create table order_transaction (
  team_id uuid not null,
  environment text not null,
  id uuid not null,
  user_id uuid not null,
  created_at timestamptz not null,
  primary key (team_id, environment, id),
  foreign key (team_id, environment, user_id) references app_user (team_id, environment, id) on delete cascade
);
select aliquot_protect('order_transaction');
create index order_transaction_of_user on order_transaction (team_id, environment, user_id);

-- The public status is not here: it follows from modality and step.
-- `private` is sealed: patient, addresses, clinical notes, answers, consents. The two names stand beside it
-- because lists are searched and sorted by them.
create table lab_order (
  team_id uuid not null,
  environment text not null,
  id uuid not null,
  user_id uuid not null,
  transaction_id uuid not null,
  origin text not null,
  parent_id uuid,
  modality text not null,
  step text not null,
  status_detail text,
  leg text not null,
  registrable boolean not null,
  registered_at timestamptz,
  lab_id integer not null,
  lab_slug text not null,
  lab_account_id uuid,
  lab_test_id uuid not null,
  lab_test jsonb not null,
  sample_id text,
  private bytea not null,
  patient_name text,
  recipient_name text,
  physician jsonb,
  shipment jsonb,
  priority boolean not null,
  billing_type text not null,
  icd_codes text[],
  activate_by date,
  passthrough text,
  health_insurance_id uuid,
  interpretation text,
  has_missing_results boolean,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (team_id, environment, id),
  foreign key (team_id, environment, user_id) references app_user (team_id, environment, id) on delete cascade,
  foreign key (team_id, environment, transaction_id) references order_transaction (team_id, environment, id) on delete cascade
);
select aliquot_protect('lab_order');
create index lab_order_newest on lab_order (team_id, environment, created_at desc, id desc);
create index lab_order_of_user on lab_order (team_id, environment, user_id, created_at desc);
create index lab_order_of_transaction on lab_order (team_id, environment, transaction_id);
create unique index lab_order_sample on lab_order (team_id, environment, lab_id, sample_id) where sample_id is not null;

create table lab_order_event (
  team_id uuid not null,
  environment text not null,
  order_id uuid not null,
  id bigint generated always as identity,
  step text not null,
  status_detail text,
  created_at timestamptz not null,
  primary key (team_id, environment, order_id, id),
  foreign key (team_id, environment, order_id) references lab_order (team_id, environment, id) on delete cascade
);
select aliquot_protect('lab_order_event');
grant usage on sequence lab_order_event_id_seq to aliquot_tenant;
