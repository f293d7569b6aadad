import type { Work } from '../../platform/work.ts';

/**
 * Lets one walk at a time go on with an order: a journey may come to the same step again, so that the step alone
 * does not tell that somebody else was there meanwhile.
 */
export async function lockOrder({ tx, tenant }: Work, orderId: string): Promise<void> {
  await tx
    .selectFrom('lab_order')
    .select('id')
    .where('team_id', '=', tenant.teamId)
    .where('environment', '=', tenant.environment)
    .where('id', '=', orderId)
    .forUpdate()
    .execute();
}
