import { sql } from 'kysely';
import { readyQuery } from '../../platform/db/ready-query.ts';
import type { Tenant } from '../../platform/tenant.ts';
import { together } from '../../platform/together.ts';
import type { Work } from '../../platform/work.ts';
import type { Order } from './order.ts';
import { findOrders } from './read-store.ts';
import type { OrderChanges } from './store.ts';

/** With `any` of a short array it would be planned anew each time, which takes longer than to run it. */
const locked = readyQuery((tx, some: Tenant & { ids: readonly string[] }) =>
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

/** The order as nobody can change it until this work ends; everybody else waits for its row. */
export const lockOrder: (work: Work, id: string) => Promise<Order | undefined> = together(
  async (work, ids: readonly string[]) => {
    const each = inOrder(ids);
    const [, orders] = await Promise.all([
      locked(work.tx, { ...work.tenant, ids: each }),
      findOrders(work, each),
    ]);
    return ids.map((id) => orders.get(id.toLowerCase()));
  },
);

/** Nobody changes these orders until this work ends. */
export async function holdOrders({ tx, tenant }: Work, ids: readonly string[]): Promise<void> {
  await locked(tx, { ...tenant, ids: inOrder(ids) });
}

/** Locked one after the other as they stand here, two who want some of the same follow each other. */
const inOrder = (ids: readonly string[]): string[] =>
  [...new Set(ids.map((id) => id.toLowerCase()))].toSorted();

/** Whether there is such an order at all; that of a user in the grace period of a deletion is still there. */
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

/** The order that replaced this one, if there is one. */
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

/** Says something of the order whatever its step is, and without being told of. */
export async function markOrder(
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
