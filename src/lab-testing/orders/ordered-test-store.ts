import { LRUCache } from 'lru-cache';
import { sql } from 'kysely';
import { readyQuery } from '../../platform/db/ready-query.ts';
import type { Tenant } from '../../platform/tenant.ts';
import { together } from '../../platform/together.ts';
import { defer, type Work } from '../../platform/work.ts';
import type { LabTestSnapshot } from '../catalog/catalog.ts';

const REMEMBERED_MAX = 500;
/** By ids that are digests, so that what is remembered can never be out of date. */
const remembered = new LRUCache<string, object>({ max: REMEMBERED_MAX });

const KEEP = `insert into ordered_lab_test (team_id, environment, id, document, created_at) values ($1, $2, $3, $4, $5)
  on conflict do nothing`;

/** Writes down what is ordered, if no order before it was of the same; with the order itself, or not at all. */
export function keepOrderedTest(work: Work, { id, text }: LabTestSnapshot): void {
  const { teamId, environment } = work.tenant;
  const parameters = [teamId, environment, id, text, work.now];
  defer(work, { compile: () => ({ sql: KEEP, parameters }) });
}

const testsById = readyQuery((tx, some: Tenant & { ids: readonly string[] }) =>
  tx
    .selectFrom('ordered_lab_test')
    .select(['id', 'document'])
    .where('team_id', '=', some.teamId)
    .where('environment', '=', some.environment)
    .where('id', '=', sql<string>`any(${some.ids}::uuid[])`),
);

/**
 * The lab test that an order names, as it was when it was ordered. Thousands of orders name the same one: it is read and
 * parsed once, and frozen because it is shared.
 */
export async function orderedTestOf(work: Work, id: string): Promise<object> {
  const test = remembered.get(id) ?? (await readTest(work, id));
  if (!test) throw new Error(`What was ordered is not there: ${id}`);
  return test;
}

const readTest: (work: Work, id: string) => Promise<object | undefined> = together(
  async (work, ids: readonly string[]) => {
    const rows = await testsById(work.tx, { ...work.tenant, ids: [...new Set(ids)] });
    const found = new Map(rows.map((row) => [row.id, frozen(row.document)]));
    for (const [id, test] of found) remembered.set(id, test);
    return ids.map((id) => found.get(id));
  },
);

function frozen<T extends object>(value: T): T {
  for (const part of Object.values(value)) if (typeof part === 'object' && part !== null) frozen(part);
  return Object.freeze(value);
}
