import type { Work } from '../platform/work.ts';

/**
 * Locks the order for one simulation at a time. An order can reach the same step twice, so comparing steps alone would
 * not detect a concurrent change.
 */
export async function lockSimulatedOrder({ tx, tenant }: Work, orderId: string): Promise<void> {
  await tx
    .selectFrom('lab_order')
    .select('id')
    .where('team_id', '=', tenant.teamId)
    .where('environment', '=', tenant.environment)
    .where('id', '=', orderId)
    .forUpdate()
    .execute();
}
