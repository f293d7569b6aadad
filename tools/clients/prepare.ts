import type { CollectionMethod } from '../../packages/server/src/ordering/catalog/schema.ts';
import * as objects from './objects.ts';
import type { Prepare } from './preparation.ts';
import type { Json } from './sdk.ts';

export const order =
  (...[method, status]: [CollectionMethod, string?]): Prepare =>
  async (world) => ({
    values: {
      order_id: (await objects.createOrder(world, status === undefined ? { method } : { method, status })).id,
    },
  });
export const completed: Prepare = async (world) => ({
  values: { order_id: (await objects.completedOrder(world)).id },
});
export const transaction: Prepare = async (world) => ({
  values: { transaction_id: (await objects.completedOrder(world)).order_transaction.id },
});
export const labTest: Prepare = async (world) => ({
  values: { lab_test_id: (await objects.findLabTest(world, 'walk_in_test')).id },
});
export const newUser: Prepare = async (world) => ({ values: { user_id: await objects.createUser(world) } });
export const userIds: Prepare = async (world) => ({
  values: { user_ids: [await objects.createUser(world)], provider: 'oura' },
});
export const team: Prepare = (world) => ({ values: { team_id: world.teamId } });
export const lab: Prepare = async (world) => ({ values: { lab_id: await objects.questId(world) } });

export const booking =
  (kind: 'psc' | 'phlebotomy'): Prepare =>
  async (world) => ({
    values: {
      order_id: (await objects.createBookable(world, kind)).id,
      booking_key: await objects.nextBookingKey(world, kind),
    },
  });
export const rebooking =
  (kind: 'psc' | 'phlebotomy'): Prepare =>
  async (world) => ({
    values: {
      order_id: (await objects.createBooked(world, kind)).id,
      booking_key: await objects.nextBookingKey(world, kind),
    },
  });
export const cancelling =
  (kind: 'psc' | 'phlebotomy'): Prepare =>
  async (world) => {
    const [reason] = await world.api.get(`/v3/order/${kind}/appointment/cancellation-reasons`);
    return {
      values: { order_id: (await objects.createBooked(world, kind)).id, cancellation_reason_id: reason.id },
    };
  };
export const booked =
  (kind: 'psc' | 'phlebotomy'): Prepare =>
  async (world) => ({ values: { order_id: (await objects.createBooked(world, kind)).id } });

/** Older clients send a link token by a header, or as a field. */
export const linkToken =
  (values: Readonly<Record<string, Json>> = {}): Prepare =>
  async (world) => {
    const made = await world.api.post('/v2/link/token', { user_id: await objects.createUser(world) });
    const token: string = made.link_token;
    return { values: { ...values, token, link_token: token }, headers: { vital_link_token: token } };
  };

export const continuousQuery: Prepare = async (world) => {
  const query = await world.once('continuous query', () =>
    world.management.post(`${world.managed}/continuous_query`, {
      slug: `of-clients-${Date.now()}`,
      title: 'Heart rate by day',
      query: {
        select: [{ group_key: '*' }, { func: 'mean', arg: { timeseries: 'heartrate', field: 'value' } }],
        group_by: [{ date_trunc: { value: 1, unit: 'day' }, arg: { index: 'timeseries' } }],
      },
    }),
  );
  return { values: { query_id_or_slug: query.slug } };
};

export const unmatched: Prepare = async (world) => ({
  values: { raw_result_id: (await objects.unmatchedResult(world)).id, action: 'reject' },
});

export const orderSet: Prepare = async (world) => ({
  values: { order_set: { lab_test_ids: [(await objects.findLabTest(world, 'walk_in_test', 'quest')).id] } },
  added: { order_set: { lab_test_ids: [(await objects.findLabTest(world, 'walk_in_test', 'quest')).id] } },
});
