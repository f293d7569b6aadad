import type { Work } from '../../platform/work.ts';
import type { OrderFacts } from '../../ordering/orders/status.ts';

interface PlacedOrder {
  readonly order_id: string;
  readonly connection_id: string;
  readonly lab: string;
  readonly facts: OrderFacts;
}

/**
 * The user's orders that were sent to a laboratory and not cancelled there. Locks the user's orders: waits for
 * concurrent inserts of their messages, and blocks new ones until the transaction ends.
 */
export async function listPlacedOrdersOfUser(work: Work, userId: string): Promise<PlacedOrder[]> {
  await lockOrdersOfUser(work, userId);
  return readPlacedOrders(work, userId);
}

/** A separate statement, so that the next one sees the rows of the transactions that this one waited for. */
async function lockOrdersOfUser({ tx, tenant }: Work, userId: string): Promise<void> {
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

async function readPlacedOrders({ tx, tenant }: Work, userId: string): Promise<PlacedOrder[]> {
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
