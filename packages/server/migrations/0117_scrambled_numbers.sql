-- Order events and sources of samples are numbered by sequences that all tenants share, and the numbers are integers in
-- the interface: from the distance of two of them a team could tell how much the others do. New ones are shown scrambled
-- by a key of the tenant. Numbers that were given stay as they are, because clients may have stored them.

-- A permutation of the numbers below 2^(2 * half), by a Feistel network: no two numbers of a tenant get the same one
-- before the sequence exceeds that.
create function aliquot_scramble(number bigint, half int, key bytea) returns bigint
language plpgsql immutable set search_path = pg_catalog, pg_temp as $$
declare
  mask int := (1 << half) - 1;
  high int := (number >> half) & mask;
  low int := number & mask;
  mixed bytea;
  kept int;
begin
  for round in 1..4 loop
    mixed := sha256(key || int4send(round) || int4send(low));
    kept := low;
    low := high # (((get_byte(mixed, 0) << 8) | get_byte(mixed, 1)) & mask);
    high := kept;
  end loop;
  return (high::bigint << half) | low;
end $$;
revoke execute on function aliquot_scramble(bigint, int, bytea) from public;
grant execute on function aliquot_scramble(bigint, int, bytea) to aliquot_tenant, aliquot_system;

-- What callers see as the id of an event: it ascends within an order. Null in events of earlier versions, of which they
-- see `id`. That still orders the events, because processes of an earlier version write no `public_id`.
alter table lab_order_event add column public_id bigint;
-- The ids that callers see come in blocks, one for each order.
create sequence lab_order_block_seq;
grant usage on sequence lab_order_block_seq to aliquot_tenant;

-- The order of the sources; null in those of earlier versions, which `id` orders.
alter table wearable_source add column number bigint;
grant usage on sequence wearable_source_id_seq to aliquot_tenant;
