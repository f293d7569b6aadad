import { LRUCache } from 'lru-cache';
import { sql } from 'kysely';
import { precompileQuery } from '../../platform/db/precompiled-query.ts';
import type { Tenant } from '../../platform/tenant.ts';
import { createBatchLoader } from '../../platform/batch-loader.ts';
import { defer, type Work } from '../../platform/work.ts';
import type { LabTestSnapshot } from '../catalog/catalog.ts';

const CACHE_MAX = 500;
/** Keyed by content digests, so a cached entry never becomes stale. */
const snapshotCache = new LRUCache<string, object>({ max: CACHE_MAX });

const INSERT_SNAPSHOT = `insert into ordered_lab_test (team_id, environment, id, document, created_at) values ($1, $2, $3, $4, $5)
  on conflict do nothing`;

/** Stores the snapshot of the lab test, unless an equal one is stored. Deferred: written together with the order. */
export function storeOrderedTest(work: Work, { id, text }: LabTestSnapshot): void {
  const { teamId, environment } = work.tenant;
  const parameters = [teamId, environment, id, text, work.now];
  defer(work, { compile: () => ({ sql: INSERT_SNAPSHOT, parameters }) });
}

const testsById = precompileQuery((tx, some: Tenant & { ids: readonly string[] }) =>
  tx
    .selectFrom('ordered_lab_test')
    .select(['id', 'document'])
    .where('team_id', '=', some.teamId)
    .where('environment', '=', some.environment)
    .where('id', '=', sql<string>`any(${some.ids}::uuid[])`),
);

/**
 * The lab test snapshot of an order. Thousands of orders share one snapshot, so it is read and parsed once, cached, and
 * frozen.
 */
export async function getOrderedTest(work: Work, id: string): Promise<object> {
  const test = snapshotCache.get(id) ?? (await readOrderedTest(work, id));
  if (!test) throw new Error(`No lab test snapshot with id ${id}`);
  return test;
}

const readOrderedTest: (work: Work, id: string) => Promise<object | undefined> = createBatchLoader(
  async (work, ids: readonly string[]) => {
    const rows = await testsById(work.tx, { ...work.tenant, ids: [...new Set(ids)] });
    const found = new Map(rows.map((row) => [row.id, deepFreeze(row.document)]));
    for (const [id, test] of found) snapshotCache.set(id, test);
    return ids.map((id) => found.get(id));
  },
);

function deepFreeze<T extends object>(value: T): T {
  for (const part of Object.values(value)) if (typeof part === 'object' && part !== null) deepFreeze(part);
  return Object.freeze(value);
}
