-- A parcel of an order: the kit on its way out, or the sample on its way back. Couriers name it by a tracker or
-- by its number; `service` says whose names these are.
create table parcel (
  team_id uuid not null,
  environment text not null,
  order_id uuid not null,
  leg text not null check (leg in ('outbound', 'inbound')),
  service text not null,
  courier text not null,
  tracking_number text not null,
  tracker_id text,
  -- The newest that was heard, and whether the order could not take it yet.
  status text,
  heard_at timestamptz,
  is_waiting boolean not null default false,
  created_at timestamptz not null,
  primary key (team_id, environment, order_id, leg),
  foreign key (team_id, environment, order_id) references lab_order (team_id, environment, id) on delete cascade
);
select aliquot_protect('parcel');
-- News come without a tenant: whose parcel they are about is looked up by these names, and nothing else of it.
select aliquot_open_to_system('parcel', 'select (team_id, environment, order_id, leg, service, tracking_number, tracker_id, created_at)');
create index parcel_tracker on parcel (service, tracker_id) where tracker_id is not null;
create index parcel_number on parcel (service, tracking_number, created_at desc);

-- Everything that a courier said of a parcel, and what became of it. `outcome` is null until it was looked at.
create table parcel_news (
  team_id uuid not null,
  environment text not null,
  order_id uuid not null,
  leg text not null,
  news_id text not null,
  status text not null,
  said text not null,
  at timestamptz not null,
  received_at timestamptz not null,
  outcome text,
  primary key (team_id, environment, order_id, leg, news_id),
  foreign key (team_id, environment, order_id, leg)
    references parcel (team_id, environment, order_id, leg) on delete cascade
);
select aliquot_protect('parcel_news');
select aliquot_open_to_system('parcel_news', 'insert, select (team_id, environment, order_id, leg, news_id)');

-- News of a parcel that nobody knows, or does not know yet: a courier may speak before its label is kept.
-- Of no tenant, and of no person: a tracker, a number and a status.
create table courier_inbox (
  service text not null,
  news_id text not null,
  tracker_id text,
  tracking_number text not null,
  status text not null,
  said text not null,
  at timestamptz not null,
  received_at timestamptz not null,
  primary key (service, news_id)
);
grant select, insert, delete on courier_inbox to aliquot_system;
create index courier_inbox_number on courier_inbox (service, tracking_number);
create index courier_inbox_age on courier_inbox (received_at);

-- Who is buying the labels of an order, so that two workers do not both pay for them. Let go by time alone.
create table label_lease (
  team_id uuid not null,
  environment text not null,
  order_id uuid not null,
  leased_until timestamptz not null,
  primary key (team_id, environment, order_id),
  foreign key (team_id, environment, order_id) references lab_order (team_id, environment, id) on delete cascade
);
select aliquot_protect('label_lease');
