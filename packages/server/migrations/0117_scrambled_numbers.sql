-- Order events and origins of samples are numbered by sequences that all tenants share, and the numbers are integers in
-- the interface: from the distance of two of them a team could tell how much the others do. New ones are shown scrambled
-- by a key of the tenant. Numbers that were given stay as they are, because clients may have stored them.

-- A permutation of 30 bits (a Feistel network), moved above every number that was given before. Within a tenant equal
-- results therefore have equal numbers, as long as a sequence is below 2^30.
create function aliquot_scramble(number bigint, key bytea) returns bigint
language plpgsql immutable set search_path = pg_catalog, pg_temp as $$
declare
  high int := (number >> 15) & 32767;
  low int := number & 32767;
  mixed bytea;
  kept int;
begin
  for round in 1..4 loop
    mixed := sha256(key || int4send(round) || int4send(low));
    kept := low;
    low := high # ((get_byte(mixed, 0) << 7) | (get_byte(mixed, 1) & 127));
    high := kept;
  end loop;
  return 1073741824 + ((high::bigint << 15) | low);
end $$;
revoke execute on function aliquot_scramble(bigint, bytea) from public;
grant execute on function aliquot_scramble(bigint, bytea) to aliquot_tenant, aliquot_system;

-- What callers see as the id of an event. Null in events of earlier versions: they see `id`, which orders the events.
alter table lab_order_event add column public_id bigint;
-- The order of the sources; null in those of earlier versions, which `id` orders.
alter table wearable_source add column number bigint;
grant usage on sequence wearable_source_id_seq to aliquot_tenant;
