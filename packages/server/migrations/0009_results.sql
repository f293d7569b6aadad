-- What a laboratory reported of an order. A correction is a further version; older ones stay.
create table lab_result (
  team_id uuid not null,
  environment text not null,
  order_id uuid not null,
  version integer not null,
  status text not null,
  interpretation text not null,
  document bytea not null,
  reported_at timestamptz not null,
  created_at timestamptz not null,
  primary key (team_id, environment, order_id, version),
  foreign key (team_id, environment, order_id) references lab_order (team_id, environment, id) on delete cascade
);
select aliquot_protect('lab_result');
