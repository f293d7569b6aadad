import { describe, expect, it } from 'vitest';
import { useTestService } from '../../test/service-hooks.ts';
import { jobs } from '../compose.ts';
import {
  HOUSE_TABLES,
  KEPT_TABLES,
  LASTING_ENDINGS,
  MERGED_TABLES,
  QUEUE_TABLES,
  REPLACED_TABLES,
  TIMER_RULES,
} from './team-rules.ts';

const service = useTestService();

interface FoundTable {
  readonly schema: string;
  readonly name: string;
  /** Its columns that a tenant has in every row. */
  readonly tenant_columns: number;
  readonly mentions_team: boolean;
}

const tables = async (): Promise<FoundTable[]> =>
  (
    await service.ownerPool.query<FoundTable>(`
    select n.nspname as schema, c.relname as name,
      (select count(*)::int from pg_attribute a where a.attrelid = c.oid and a.attnotnull
        and a.attname in ('team_id', 'environment')) as tenant_columns,
      exists (select from pg_attribute a where a.attrelid = c.oid and a.attname = 'team_id' and not a.attisdropped)
        as mentions_team
    from pg_class c join pg_namespace n on n.oid = c.relnamespace
    where n.nspname in ('public', 'graphile_worker') and c.relkind in ('r', 'p') order by 1, 2`)
  ).rows;

describe('the rules of the restore of one team', () => {
  it('name every table once', async () => {
    const all = await tables();
    const lists = [REPLACED_TABLES, Object.keys(MERGED_TABLES), Object.keys(KEPT_TABLES), HOUSE_TABLES];
    const named = lists.flat().filter((name) => name !== 'statistics_sweep');
    const found = all.filter(({ schema, name }) => schema === 'public' && name !== 'statistics_sweep');
    expect(named.toSorted()).toEqual(found.map(({ name }) => name).toSorted());
    const queue = all.filter(({ schema }) => schema === 'graphile_worker').map(({ name }) => name);
    expect(QUEUE_TABLES.toSorted()).toEqual(queue.toSorted());
  });

  it('leave no table with a team out, and replace only rows that say whose they are', async () => {
    const all = await tables();
    const house = all.filter(({ name }) => HOUSE_TABLES.includes(name) && name !== 'audit_log');
    expect(house.filter(({ mentions_team: mentions }) => mentions)).toEqual([]);
    const replaced = all.filter(({ schema, name }) => schema === 'public' && REPLACED_TABLES.includes(name));
    expect(replaced.length).toBeGreaterThan(50);
    expect(replaced.filter(({ tenant_columns: count }) => count !== 2)).toEqual([]);
    expect(LASTING_ENDINGS.filter(({ table }) => !REPLACED_TABLES.includes(table))).toEqual([]);
  });

  it('say for every background job whether it goes on', () => {
    expect(Object.keys(TIMER_RULES).toSorted()).toEqual(jobs.map(({ name }) => name).toSorted());
  });
});
