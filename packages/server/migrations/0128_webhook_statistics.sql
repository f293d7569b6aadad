-- Counts of an endpoint's attempts by 15 minutes of the tenant's clock, and histograms of their durations: a chart of a
-- month reads rows by the thousand and not attempts by the million, most of which are sealed in blocks. Written in the
-- transaction of the attempts, after `webhook_tally`, whose rows already order the writers of one endpoint.
create table webhook_statistics (
  team_id uuid not null,
  environment text not null,
  endpoint_id uuid not null,
  bucket timestamptz not null,
  succeeded integer not null,
  failed integer not null,
  -- Element n counts durations above 2^((n-2)/2) and up to 2^((n-1)/2) milliseconds: of answers, and from an event to
  -- its receipt.
  answers integer[] not null,
  receipts integer[] not null,
  primary key (team_id, environment, endpoint_id, bucket),
  foreign key (team_id, environment) references team_environment (team_id, environment)
) with (fillfactor = 50);
select aliquot_protect('webhook_statistics');
select aliquot_open_to_system('webhook_statistics', 'select, insert, update, delete');

create function aliquot_add_counts(a integer[], b integer[]) returns integer[]
language sql immutable parallel safe set search_path = pg_catalog, pg_temp as $$
  select coalesce(array_agg(coalesce(x, 0) + coalesce(y, 0) order by n), '{}')
  from unnest(a, b) with ordinality as counts (x, y, n)
$$;

insert into webhook_statistics (team_id, environment, endpoint_id, bucket, succeeded, failed, answers, receipts)
select team_id, environment, endpoint_id, date_bin('15 minutes', bucket, 'epoch'), sum(succeeded), sum(failed), '{}', '{}'
from webhook_tally group by 1, 2, 3, 4;
