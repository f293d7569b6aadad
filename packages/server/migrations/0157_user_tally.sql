-- How many users a tenant has that are not deleted, so that a page of the list of users does not count them anew. Kept in
-- the transaction that changes it, and so exact whatever process is killed. A writer takes a row that no other writer
-- holds, or adds one: writers never wait for each other, and there are no more rows than once wrote at the same time.
-- Rollback: drop table user_tally; drop function aliquot_count_users, aliquot_user_change cascade. Loses nothing that
-- cannot be counted.
create table user_tally (
  team_id uuid not null,
  environment text not null,
  slot uuid not null default gen_random_uuid(),
  users bigint not null,
  primary key (team_id, environment, slot),
  foreign key (team_id, environment) references team_environment (team_id, environment)
) with (fillfactor = 50);
select aliquot_protect('user_tally');

create function aliquot_count_users(team uuid, env text, change bigint) returns void language plpgsql as $$
begin
  with free as materialized (
    select slot from user_tally where team_id = team and environment = env limit 1 for update skip locked)
  update user_tally t set users = t.users + change from free
    where t.team_id = team and t.environment = env and t.slot = free.slot;
  if not found then
    insert into user_tally (team_id, environment, users) values (team, env, change);
  end if;
end $$;

create function aliquot_user_change() returns trigger language plpgsql as $$
begin
  if tg_op = 'INSERT' then
    perform aliquot_count_users(team_id, environment, count(*))
      from written where deleted_at is null group by team_id, environment;
  elsif tg_op = 'DELETE' then
    perform aliquot_count_users(team_id, environment, -count(*))
      from gone where deleted_at is null group by team_id, environment;
  else
    perform aliquot_count_users(team_id, environment, sum(change)::bigint)
      from (
        select team_id, environment, 1 as change from written where deleted_at is null
        union all
        select team_id, environment, -1 from gone where deleted_at is null) as changes
      group by team_id, environment having sum(change) <> 0;
  end if;
  return null;
end $$;

-- The first of these waits for the writers of users, and holds further ones until the counts are there.
create trigger user_added after insert on app_user
  referencing new table as written for each statement execute function aliquot_user_change();
create trigger user_changed after update on app_user
  referencing old table as gone new table as written for each statement execute function aliquot_user_change();
create trigger user_removed after delete on app_user
  referencing old table as gone for each statement execute function aliquot_user_change();
insert into user_tally (team_id, environment, users)
  select team_id, environment, count(*) from app_user where deleted_at is null group by 1, 2;
