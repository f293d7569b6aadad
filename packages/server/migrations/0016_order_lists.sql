-- What lists of orders are filtered and sorted by; docs/decisions/0015-order-list-queries.md has the reasons.

-- False while the grace period of the user's deletion runs.
alter table lab_order add listed boolean not null default true;

-- Every filter on a property of few values, in one word: modality.step.interpretation.scheduled.unnamed.
-- A team has a few dozen different ones however many orders it has.
alter table lab_order add facet text collate "C" generated always as (
  modality || '.' || step || '.' || coalesce(interpretation, '') || '.'
  || case when activate_by is not null and step = 'ordered' then 'scheduled' else '' end || '.'
  || case when patient_name is null then 'unnamed' else '' end) stored;
alter table lab_order add patient_key text collate "C" generated always as (lower(patient_name)) stored;

drop index lab_order_newest;
-- An index for each sorting; what stands behind the key is for filters that lists skip by.
create index lab_order_newest on lab_order (team_id, environment, created_at, id)
  include (facet, updated_at, patient_key) where listed;
create index lab_order_by_step on lab_order (team_id, environment, step, created_at, id)
  include (facet, updated_at) where listed;
create index lab_order_by_patient on lab_order (team_id, environment, patient_key, id)
  include (facet, created_at, updated_at) where listed;
create index lab_order_by_facet on lab_order (team_id, environment, facet, created_at, id) where listed;
create index lab_order_updated on lab_order (team_id, environment, updated_at, id) where listed;
-- The sample before the laboratory: who looks for a sample does not always know whose it is.
drop index lab_order_sample;
create unique index lab_order_sample on lab_order (team_id, environment, sample_id, lab_id) where sample_id is not null;

-- The names on an order from each of their words on, so that a search for how a word begins is a range of an index:
-- `ada lovelace` and `lovelace`. (An index of trigrams would not be used: row-level security comes first.)
create table lab_order_name (
  team_id uuid not null,
  environment text not null,
  kind text not null check (kind in ('patient', 'recipient')),
  term text collate "C" not null,
  order_id uuid not null,
  primary key (team_id, environment, kind, term, order_id),
  foreign key (team_id, environment, order_id) references lab_order (team_id, environment, id) on delete cascade
);
create index lab_order_name_of_order on lab_order_name (order_id);

create function aliquot_name_terms(name text) returns setof text language sql immutable as $$
  select distinct substr(words, start)
  from (select translate(lower(name), '-', ' ') as words) as normal, generate_series(1, length(words)) as start
  where substr(words, start, 1) <> ' ' and (start = 1 or substr(words, start - 1, 1) = ' ')
$$;

create function aliquot_keep_order_names() returns trigger language plpgsql as $$
begin
  if tg_op = 'UPDATE' then
    delete from lab_order_name
    where team_id = new.team_id and environment = new.environment and order_id = new.id;
  end if;
  insert into lab_order_name (team_id, environment, kind, term, order_id)
  select new.team_id, new.environment, kind, term, new.id
  from (values ('patient', new.patient_name), ('recipient', new.recipient_name)) as named (kind, name),
    aliquot_name_terms(name) as term;
  return null;
end $$;
create trigger order_named after insert on lab_order
  for each row when (new.patient_name is not null or new.recipient_name is not null)
  execute function aliquot_keep_order_names();
create trigger order_renamed after update of patient_name, recipient_name on lab_order
  for each row when (old.patient_name is distinct from new.patient_name
    or old.recipient_name is distinct from new.recipient_name)
  execute function aliquot_keep_order_names();

-- The orders of a deleted user leave the lists with the user, and come back with the user.
create function aliquot_list_orders_of_user() returns trigger language plpgsql as $$
begin
  update lab_order set listed = new.deleted_at is null
  where team_id = new.team_id and environment = new.environment and user_id = new.id
    and listed = (new.deleted_at is not null);
  return null;
end $$;
create trigger orders_of_deleted_user after update of deleted_at on app_user
  for each row when ((old.deleted_at is null) <> (new.deleted_at is null))
  execute function aliquot_list_orders_of_user();

-- The orders that are there already; forced row-level security would hide them from their owner.
alter table lab_order no force row level security;
alter table app_user no force row level security;
insert into lab_order_name (team_id, environment, kind, term, order_id)
select team_id, environment, kind, term, id
from lab_order, (values ('patient'), ('recipient')) as kinds (kind),
  aliquot_name_terms(case kind when 'patient' then patient_name else recipient_name end) as term;
update lab_order set listed = false
from app_user u
where u.team_id = lab_order.team_id and u.environment = lab_order.environment and u.id = lab_order.user_id
  and u.deleted_at is not null;
alter table lab_order force row level security;
alter table app_user force row level security;
select aliquot_protect('lab_order_name');

-- A transaction has one redraw at most, whoever else has seen the same results.
create unique index lab_order_redrawn on lab_order (team_id, environment, transaction_id) where origin = 'redraw';
