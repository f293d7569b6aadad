-- Young samples that came together and fell between no others: small chunks, sealed at once. Segments of a stream do not
-- overlap, and no sample of a chunk lies within one; of one moment a row wins over a segment, a segment over a chunk.
-- Without a foreign key, as `sample`; columns of eight bytes first.
create table sample_segment (
  first_at bigint not null,
  last_at bigint not null,
  stream_id integer not null,
  source_id integer not null,
  count integer not null,
  team_id uuid not null,
  environment text not null,
  samples bytea not null,
  primary key (team_id, environment, stream_id, first_at)
) with (autovacuum_vacuum_scale_factor = 0.05);
alter table sample_segment alter column samples set storage external;
select aliquot_protect('sample_segment');

-- Who writes samples holds their stream against deletion, so none can come after this.
create or replace function aliquot_erase_samples() returns trigger language plpgsql as $$
begin
  delete from sample where team_id = old.team_id and environment = old.environment and stream_id = old.id;
  delete from sample_segment where team_id = old.team_id and environment = old.environment and stream_id = old.id;
  return null;
end $$;

-- From now on `rows_from` is where rows and segments begin. Nothing of a stream lies after `last_at`; null: there is
-- nothing. `origins_version` counts how often something else became known of a source or a device of the user.
alter table sample_stream add column last_at bigint, add column origins_version integer not null default 0,
  set (fillfactor = 70);
alter table sample_stream no force row level security;
alter table sample no force row level security;
alter table sample_chunk no force row level security;
update sample_stream s set last_at = greatest(
  (select max(x.at) from sample x
    where x.team_id = s.team_id and x.environment = s.environment and x.stream_id = s.id),
  (select x.last_at from sample_chunk x
    where x.team_id = s.team_id and x.environment = s.environment and x.stream_id = s.id
    order by x.first_at desc limit 1));
alter table sample_stream force row level security;
alter table sample force row level security;
alter table sample_chunk force row level security;

-- Samples are compared by those who write them.
alter table sample drop column more_digest;

-- What a process remembers of a stream is verified by the statement that builds on it. Where it is not so, the
-- transaction is undone and tried again, without the memory.
create function aliquot_try_again() returns void language plpgsql as $$
begin
  raise exception 'What was remembered is not so' using errcode = 'serialization_failure';
end $$;
