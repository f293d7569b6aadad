import type { Work } from '../../platform/work.ts';
import type { Order } from './order.ts';
import { findOrder } from './read-store.ts';
import type { OrderChanges } from './store.ts';

/** The order as nobody can change it until this work ends; everybody else waits for its row. */
export async function lockOrder(work: Work, id: string): Promise<Order | undefined> {
  const { tx, tenant } = work;
  const [, order] = await Promise.all([
    tx
      .selectFrom('lab_order')
      .select('id')
      .where('team_id', '=', tenant.teamId)
      .where('environment', '=', tenant.environment)
      .where('id', '=', id)
      .forUpdate()
      .execute(),
    findOrder(work, id),
  ]);
  return order;
}

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
  said: Pick<OrderChanges, 'sms_enabled' | 'waiting_reason'>,
): Promise<void> {
  await tx
    .updateTable('lab_order')
    .set({ ...said, updated_at: now })
    .where('team_id', '=', tenant.teamId)
    .where('environment', '=', tenant.environment)
    .where('id', '=', id)
    .execute();
}
