import type { Work } from '../../platform/work.ts';
import type { OrderFacts } from './status.ts';

interface UserOrder {
  readonly orderId: string;
  readonly lab: string;
  readonly facts: OrderFacts;
}

/** Locks all orders of a user until this work ends, including those of a user in the grace period of a deletion. */
export async function lockOrdersOfUser({ tx, tenant }: Work, userId: string): Promise<UserOrder[]> {
  const rows = await tx
    .selectFrom('lab_order')
    .select(['id', 'lab_slug', 'modality', 'step', 'leg', 'registrable', 'registered_at'])
    .where('team_id', '=', tenant.teamId)
    .where('environment', '=', tenant.environment)
    .where('user_id', '=', userId)
    .orderBy('id')
    .forUpdate()
    .execute();
  return rows.map(({ id, lab_slug: lab, registered_at: at, modality, step, leg, registrable }) => ({
    orderId: id,
    lab,
    facts: { modality, step, leg, registrable, registered: at !== null },
  }));
}
