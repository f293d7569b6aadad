-- How many samples of devices were received, by 15 minutes of the tenant's clock: a chart of a month reads these rows, and
-- not samples by the million. Written in the transaction of the samples. Tells of no person.
-- Rollback: drop table sample_tally. Loses the counts, which the samples themselves do not have.
create table sample_tally (
  team_id uuid not null,
  environment text not null,
  -- Every time zone is a multiple of 15 minutes from UTC, so each day of each zone is a sum of buckets.
  bucket timestamptz not null,
  -- By the user, whose writers are serialized anyway: pushes of different users seldom wait for one row.
  slot smallint not null,
  received bigint not null,
  -- The trends and the removal of old counts read ranges of buckets.
  primary key (team_id, environment, bucket, slot),
  foreign key (team_id, environment) references team_environment (team_id, environment)
) with (fillfactor = 50);
select aliquot_protect('sample_tally');
