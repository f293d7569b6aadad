-- E-mail that is to be sent, written in the transaction of what it tells of. `message` is sealed: to whom, and what
-- it says; it is let go when the mail has gone out or was given up, and the row stays, so that a key is used once.
create table mail (
  team_id uuid not null,
  environment text not null,
  key text not null,
  status text not null check (status in ('waiting', 'sent', 'failed')),
  message bytea,
  attempts integer not null default 0,
  -- On the tenant's clock. While an attempt runs it lies behind that attempt's end: nobody else takes the mail.
  due_at timestamptz not null,
  -- How the last attempt failed, as a code; never an address.
  failure text,
  created_at timestamptz not null,
  settled_at timestamptz,
  primary key (team_id, environment, key),
  check ((status = 'waiting') = (message is not null)),
  foreign key (team_id, environment) references team_environment (team_id, environment)
);
select aliquot_protect('mail');

-- A critical result that somebody has to be told of. `private` is sealed: the values. One for each report that says
-- something critical which was not said before.
create table critical_result (
  team_id uuid not null,
  environment text not null,
  id uuid not null,
  order_id uuid not null,
  -- Of the order's results.
  version integer not null,
  status text not null check (status in ('open', 'escalated', 'acknowledged')),
  private bytea not null,
  reported_at timestamptz not null,
  detected_at timestamptz not null,
  escalation_due_at timestamptz not null,
  escalated_at timestamptz,
  acknowledged_at timestamptz,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (team_id, environment, id),
  unique (team_id, environment, order_id, version),
  foreign key (team_id, environment, order_id) references lab_order (team_id, environment, id) on delete cascade
);
select aliquot_protect('critical_result');
create index critical_result_newest on critical_result (team_id, environment, detected_at, id);
create index critical_result_by_status on critical_result (team_id, environment, status, detected_at, id);

-- Somebody was told of it. `private` is sealed: who, by whom, and what was said back.
create table critical_result_notification (
  team_id uuid not null,
  environment text not null,
  critical_result_id uuid not null,
  id uuid not null,
  channel text not null,
  private bytea not null,
  notified_at timestamptz not null,
  -- Null until somebody says whether it was read back.
  read_back boolean,
  read_back_at timestamptz,
  created_at timestamptz not null,
  primary key (team_id, environment, critical_result_id, id),
  foreign key (team_id, environment, critical_result_id)
    references critical_result (team_id, environment, id) on delete cascade
);
select aliquot_protect('critical_result_notification');
