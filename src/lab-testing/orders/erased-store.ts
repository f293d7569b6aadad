import type { Work } from '../../platform/work.ts';
import type { Facts } from './status.ts';

export interface OrderOfUser {
  readonly orderId: string;
  readonly lab: string;
  readonly facts: Facts;
}

/** All orders of a user, also of one in the grace period of a deletion; nobody changes them until this work ends. */
export async function listOfUser({ tx, tenant }: Work, userId: string): Promise<OrderOfUser[]> {
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
