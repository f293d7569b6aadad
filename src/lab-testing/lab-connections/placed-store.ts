import type { Work } from '../../platform/work.ts';
import type { Facts } from '../orders/status.ts';

export interface Placed {
  readonly order_id: string;
  readonly connection_id: string;
  readonly lab: string;
  readonly facts: Facts;
}

/**
 * The orders of a user that were sent to a laboratory, and of which it was not told that they are taken back. Nobody keeps
 * a further message of theirs until this work ends, and one that is just being kept is waited for.
 */
export async function listPlacedOf(work: Work, userId: string): Promise<Placed[]> {
  await lockOrdersOf(work, userId);
  return listPlaced(work, userId);
}

/** In a statement of its own: the next one sees what those have written that this one waited for. */
async function lockOrdersOf({ tx, tenant }: Work, userId: string): Promise<void> {
  await tx
    .selectFrom('lab_order')
    .select('id')
    .where('team_id', '=', tenant.teamId)
    .where('environment', '=', tenant.environment)
    .where('user_id', '=', userId)
    .orderBy('id')
    .forUpdate()
    .execute();
}

async function listPlaced({ tx, tenant }: Work, userId: string): Promise<Placed[]> {
  const rows = await tx
    .selectFrom('lab_order as o')
    .innerJoin('lab_message as m', (join) =>
      join
        .onRef('m.team_id', '=', 'o.team_id')
        .onRef('m.environment', '=', 'o.environment')
        .onRef('m.order_id', '=', 'o.id'),
    )
    .leftJoin('lab_message as c', (join) =>
      join
        .onRef('c.team_id', '=', 'o.team_id')
        .onRef('c.environment', '=', 'o.environment')
        .onRef('c.order_id', '=', 'o.id')
        .on('c.direction', '=', 'out')
        .on('c.kind', '=', 'cancel')
        .on('c.status', '!=', 'queued'),
    )
    .where('o.team_id', '=', tenant.teamId)
    .where('o.environment', '=', tenant.environment)
    .where('o.user_id', '=', userId)
    .where('m.direction', '=', 'out')
    .where('m.kind', '=', 'new')
    .where('m.status', '!=', 'refused')
    .where('c.id', 'is', null)
    .select(['o.id', 'o.lab_slug', 'o.modality', 'o.step', 'o.leg', 'o.registrable', 'o.registered_at'])
    .select('m.connection_id')
    .orderBy('o.id')
    .execute();
  return rows.map(({ id, connection_id, lab_slug: lab, registered_at: at, ...facts }) => {
    const { modality, step, leg, registrable } = facts;
    return {
      order_id: id,
      connection_id,
      lab,
      facts: { modality, step, leg, registrable, registered: at !== null },
    };
  });
}
