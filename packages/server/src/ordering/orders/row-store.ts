import { sql } from 'kysely';
import { precompileQuery } from '../../platform/db/precompiled-query.ts';
import type { Tenant } from '../../platform/tenant.ts';
import { createBatchLoader } from '../../platform/batch-loader.ts';
import type { Work } from '../../platform/work.ts';
import type { Order } from './order.ts';
import { findOrders } from './read-store.ts';
import type { OrderChanges } from './store.ts';

/** Joins `unnest`: with `= any(...)` on a short array, the planner would make a new plan for every execution. */
const lockRowsQuery = precompileQuery((tx, some: Tenant & { ids: readonly string[] }) =>
  tx
    .selectFrom(sql<{ id: string }>`unnest(${some.ids}::uuid[])`.as<'wanted'>(sql`wanted (id)`))
    .crossJoinLateral((join) =>
      join
        .selectFrom('lab_order as o')
        .select('o.id')
        .where('o.team_id', '=', some.teamId)
        .where('o.environment', '=', some.environment)
        .whereRef('o.id', '=', 'wanted.id')
        .limit(1)
        .forUpdate()
        .as('locked'),
    )
    .select('locked.id'),
);

/** Locks the order's row until this work ends, and reads the order. Concurrent calls are batched. */
export const lockOrder: (work: Work, id: string) => Promise<Order | undefined> = createBatchLoader(
  async (work, ids: readonly string[]) => {
    const each = sortForLocking(ids);
    const [, orders] = await Promise.all([
      lockRowsQuery(work.tx, { ...work.tenant, ids: each }),
      findOrders(work, each),
    ]);
    return ids.map((id) => orders.get(id.toLowerCase()));
  },
);

/** Locks the rows of these orders until this work ends. */
export async function lockOrders({ tx, tenant }: Work, ids: readonly string[]): Promise<void> {
  await lockRowsQuery(tx, { ...tenant, ids: sortForLocking(ids) });
}

/** A fixed lock order prevents deadlocks. */
const sortForLocking = (ids: readonly string[]): string[] =>
  [...new Set(ids.map((id) => id.toLowerCase()))].toSorted();

/** Whether the order exists, including orders of users in the grace period of a deletion. */
export async function hasOrder({ tx, tenant }: Work, id: string): Promise<boolean> {
  const row = await tx
    .selectFrom('lab_order')
    .select('id')
    .where('team_id', '=', tenant.teamId)
    .where('environment', '=', tenant.environment)
    .where('id', '=', id)
    .executeTakeFirst();
  return row !== undefined;
}

/** The id of the order that replaced this one, if any. */
export async function findRecreation({ tx, tenant }: Work, id: string): Promise<string | undefined> {
  const row = await tx
    .selectFrom('lab_order')
    .select('id')
    .where('team_id', '=', tenant.teamId)
    .where('environment', '=', tenant.environment)
    .where('parent_id', '=', id)
    .where('origin', '=', 'recreation')
    .executeTakeFirst();
  return row?.id;
}

/** Updates the order at any step, without emitting an event. */
export async function setOrderColumns(
  { tx, tenant, now }: Work,
  id: string,
  said: Pick<OrderChanges, 'sms_enabled'>,
): Promise<void> {
  await tx
    .updateTable('lab_order')
    .set({ ...said, updated_at: sql<Date>`greatest(updated_at, ${now}::timestamptz)` })
    .where('team_id', '=', tenant.teamId)
    .where('environment', '=', tenant.environment)
    .where('id', '=', id)
    .execute();
}
