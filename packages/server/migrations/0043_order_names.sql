-- Names of patients and recipients are sealed; docs/decisions/0018-encrypted-name-search.md has the reasons.

-- A name of a tenant stands here once, however many orders have it. `id` is a keyed digest of it, so that a known name is
-- found by its primary key; the tokens are keyed digests of how it begins, and of what it is, from each of its words on.
-- `name` is sealed, in the form in which it is looked for and sorted by.
create table order_name (
  team_id uuid not null,
  environment text not null,
  id uuid not null,
  name bytea not null,
  begins bigint[] not null,
  ends bigint[] not null,
  -- Grows with the name, and says no more than what stands before what. Null until somebody sorts by it.
  rank bigint,
  created_at timestamptz not null,
  primary key (team_id, environment, id)
);
select aliquot_protect('order_name');
-- Not unique: many take new ranks in one statement, past each other. Both are of a part, so that neither ties with the
-- primary key while the table has no statistics.
create index order_name_by_rank on order_name (team_id, environment, rank) include (id) where rank is not null;
create index order_name_unranked on order_name (team_id, environment, rank) include (id) where rank is null;

-- The names by their tokens. A name erases its rows itself, so that they need no index of their own for that.
create table order_name_token (
  team_id uuid not null,
  environment text not null,
  token bigint not null,
  name_id uuid not null,
  -- Of a token that a name ends with: when it was first written, for who looks for the newest patients of a name.
  since timestamptz,
  primary key (team_id, environment, token, name_id)
);
select aliquot_protect('order_name_token');
create index order_name_token_newest on order_name_token (team_id, environment, token, since) include (name_id)
  where since is not null;

create function aliquot_keep_name_tokens() returns trigger language plpgsql as $$
begin
  if tg_op = 'INSERT' then
    insert into order_name_token (team_id, environment, token, name_id, since)
    select new.team_id, new.environment, token, new.id, null from unnest(new.begins) as token
    union all
    select new.team_id, new.environment, token, new.id, new.created_at from unnest(new.ends) as token;
  else
    delete from order_name_token
    where team_id = old.team_id and environment = old.environment and token = any(old.begins || old.ends)
      and name_id = old.id;
  end if;
  return null;
end $$;
create trigger order_name_kept after insert or delete on order_name
  for each row execute function aliquot_keep_name_tokens();

-- Which of these names are there. Until the caller's transaction ends nobody erases one that is, and one that is not is
-- the caller's to write: who else wants it waits.
create function aliquot_hold_order_names(team uuid, env text, names uuid[]) returns boolean[] language plpgsql as $$
declare
  wanted uuid;
  are_there boolean[] := '{}';
begin
  foreach wanted in array names loop
    perform from order_name n where n.team_id = team and n.environment = env and n.id = wanted for key share;
    if not found then
      perform pg_advisory_xact_lock(hashtextextended('order-name/' || wanted, 0));
      perform from order_name n where n.team_id = team and n.environment = env and n.id = wanted for key share;
    end if;
    are_there := are_there || found;
  end loop;
  return are_there;
end $$;

-- What follows from the names in clear goes, and they go themselves.
drop trigger order_named on lab_order;
drop trigger order_renamed on lab_order;
drop table lab_order_name;
drop function aliquot_keep_order_names();
drop function aliquot_name_terms(text);

alter table lab_order
  drop column facet,
  drop column patient_key,
  drop column patient_name,
  drop column recipient_name;
-- An order that is there already has its names in its sealed part: the service indexes them in the background. The new
-- `facet` makes PostgreSQL write every row anew, so that the dropped names are gone from the table's file too.
alter table lab_order
  add patient_name_id uuid,
  add recipient_name_id uuid,
  add names_due boolean not null default true,
  add facet text collate "C" generated always as (
    modality || '.' || step || '.' || coalesce(interpretation, '') || '.'
    || case when activate_by is not null and step = 'ordered' then 'scheduled' else '' end) stored;
alter table lab_order alter column names_due set default false;
alter table lab_order
  add foreign key (team_id, environment, patient_name_id) references order_name (team_id, environment, id),
  add foreign key (team_id, environment, recipient_name_id) references order_name (team_id, environment, id);

-- As in 0016, of which the first four went with their columns.
create index lab_order_newest on lab_order (team_id, environment, created_at, id)
  include (facet, updated_at, patient_name_id, recipient_name_id) where listed;
create index lab_order_by_step on lab_order (team_id, environment, step, created_at, id)
  include (facet, updated_at) where listed;
create index lab_order_by_facet on lab_order (team_id, environment, facet, created_at, id) where listed;
-- Of all orders, because a name is erased with the last order that has it, listed or not. But none of these has the id
-- of every order behind the tenant: while the table has no statistics, it would tie with the primary key.
create index lab_order_by_patient on lab_order (team_id, environment, patient_name_id, listed, id)
  include (facet, created_at, updated_at) where patient_name_id is not null;
create index lab_order_unnamed on lab_order (team_id, environment, patient_name_id, id)
  include (facet, created_at, updated_at) where patient_name_id is null and listed;
create index lab_order_by_recipient on lab_order (team_id, environment, recipient_name_id, listed, id)
  where recipient_name_id is not null;
create index lab_order_names_due on lab_order (team_id, environment, id) where names_due;

-- The service looks over all tenants for whom there is something left to index, and sees no more of them.
create policy names_due on lab_order for select to aliquot_system using (names_due);
grant select (team_id, environment, names_due) on lab_order to aliquot_system;

-- A name goes with the last order that has it. Two who erase orders of one name wait for each other, and then see what
-- the other has left; only who finds nothing left waits for orders that are being written.
create function aliquot_forget_order_names() returns trigger language plpgsql as $$
declare
  names uuid[] := array_remove(array[old.patient_name_id, old.recipient_name_id], null);
begin
  perform from order_name n where n.team_id = old.team_id and n.environment = old.environment and n.id = any(names)
    order by n.id for no key update;
  names := array(
    select name from unnest(names) as name
    where not exists (
        select from lab_order o where o.team_id = old.team_id and o.environment = old.environment
          and o.patient_name_id = name)
      and not exists (
        select from lab_order o where o.team_id = old.team_id and o.environment = old.environment
          and o.recipient_name_id = name));
  if names = '{}' then
    return null;
  end if;
  perform from order_name n where n.team_id = old.team_id and n.environment = old.environment and n.id = any(names)
    order by n.id for update;
  delete from order_name n
  where n.team_id = old.team_id and n.environment = old.environment and n.id = any(names)
    and not exists (
      select from lab_order o where o.team_id = n.team_id and o.environment = n.environment and o.patient_name_id = n.id)
    and not exists (
      select from lab_order o where o.team_id = n.team_id and o.environment = n.environment and o.recipient_name_id = n.id);
  return null;
end $$;
create trigger order_erased after delete on lab_order
  for each row when (old.patient_name_id is not null or old.recipient_name_id is not null)
  execute function aliquot_forget_order_names();
create trigger order_renamed after update of patient_name_id, recipient_name_id on lab_order
  for each row when ((old.patient_name_id is not null and old.patient_name_id is distinct from new.patient_name_id)
    or (old.recipient_name_id is not null and old.recipient_name_id is distinct from new.recipient_name_id))
  execute function aliquot_forget_order_names();

-- There is one sealed column more: an exchange of a data key that is under way begins its round anew.
alter table data_key_rotation no force row level security;
update data_key_rotation set place = 0, after = null, round_began_at = null, round_resealed = 0
where state in ('announced', 'sealing', 'stuck');
alter table data_key_rotation force row level security;
