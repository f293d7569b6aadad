import { describe, expect, it } from 'vitest';
import { summarizeQuery } from './query-summary.ts';

const SUMMARIES: readonly (readonly [string, string])[] = [
  ['insert into "event" ("id", "team_id") values', 'INSERT event'],
  ['select * from "lab_order" where "id" = $1 for update skip locked', 'SELECT lab_order'],
  ['select o.id from lab_order as o join lab_test t on t.id = o.lab_test_id', 'SELECT lab_order lab_test'],
  ['update "team" set "name" = $1 where "id" = $2', 'UPDATE team'],
  ['delete from timer where key = $1', 'DELETE timer'],
  ['insert into a (id) values ($1) on conflict (id) do update set n = 1', 'INSERT a'],
  [
    'with due as (delete from timer where due_wall <= $1 returning *), more as (select 1) insert into job select * from due',
    'DELETE timer INSERT job',
  ],
  ['select a from (select b from c) d where x is not distinct from y', 'SELECT c'],
  ['select extract(epoch from due_at)::float8 from timer', 'SELECT timer'],
  ["select set_config('aliquot.team_id', $1, true)", 'SELECT set_config'],
  ['select * from aliquot_queue_state()', 'SELECT aliquot_queue_state'],
  ['select graphile_worker.add_job($1)', 'SELECT graphile_worker.add_job'],
  ['select p.x from unnest($1::text[]) as p (x)', 'SELECT'],
  ["SET LOCAL aliquot.team_id='0196f2c4-0000-4000-8000-000000000000'", 'SET'],
  ['select \'from lovelace join ada\' from "user"', 'SELECT user'],
  ['select $$ from lovelace $$ /* from ada */ from team -- from grace', 'SELECT team'],
];

describe('the name of a statement', () => {
  it.each(SUMMARIES)('of %s is %s', (text, name) => {
    expect(summarizeQuery(text)).toBe(name);
  });
});
