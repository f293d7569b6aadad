-- Every report that a laboratory sent of its own accord, and what became of it: attached to an order, up for review,
-- or decided by a person. What attached to an order goes with it; what was never attached stays until it is decided.
create table incoming_result (
  team_id uuid not null,
  environment text not null,
  id uuid not null,
  lab_slug text not null,
  -- How the laboratory names the message, which of our stored messages brought it, and a keyed digest of what it says:
  -- a message may hold several reports, and a laboratory's counter begins anew some day.
  control_id text not null,
  message_id text not null,
  digest bytea not null,
  -- Sealed: the report as it was read from the wire.
  document bytea not null,
  reported_at timestamptz not null,
  status text not null check (status in ('matched', 'pending_customer_review', 'pending_ops_review', 'resolved')),
  decision_code text not null,
  sub_reason_codes text[] not null default '{}',
  -- How well the demographics agree, 0 to 100; null where nothing could be compared.
  score integer,
  -- The order that it was attached to, and the version of its results from then on.
  order_id uuid,
  version integer,
  -- Null where no person was asked.
  review_opened_at timestamptz,
  -- The orders that it may belong to, by id, with scores and reasons; no name and no date of birth.
  candidates jsonb not null default '[]',
  reviewed_at timestamptz,
  reviewed_by text,
  action text,
  -- Sealed: what the reviewer said.
  note bytea,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (team_id, environment, id),
  foreign key (team_id, environment) references team_environment (team_id, environment),
  foreign key (team_id, environment, order_id) references lab_order (team_id, environment, id) on delete cascade
);
select aliquot_protect('incoming_result');
create unique index incoming_result_once on incoming_result (team_id, environment, lab_slug, control_id, digest);
-- Ids are unique by themselves; behind the tenant columns this index would tie with the primary key.
create index incoming_result_of_order on incoming_result (order_id) where order_id is not null;
create index incoming_result_review on incoming_result (team_id, environment, status, created_at, id)
  where review_opened_at is not null;
