import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { order, registration, shipping } from '../../../test/examples.ts';
import { openHouse, type Answer, type House, type TeamInHand } from '../../../test/house.ts';
import { waitingForLocks } from '../../../test/locks.ts';
import { inTenant } from '../../app.ts';
import { advance, getOrder } from './orders.ts';
import type { Step } from './status.ts';

let house: House;
let team: TeamInHand;
beforeAll(async () => {
  house = await openHouse();
  team = await house.team();
});
afterAll(() => house.close());

const testOf = async (method: string): Promise<string> =>
  (await team.get(`/v3/lab_tests?collection_method=${method}`)).json[0].id;

async function place(method: string): Promise<string> {
  const placed = await team.post('/v3/order', order(await team.user(), await testOf(method)));
  if (placed.status !== 200) throw new Error(placed.text);
  return placed.json.order.id;
}

/** What somebody asks for while the order is moved, which is committed once they wait for it. */
async function whileMoved(id: string, to: Step, ask: () => Promise<Answer>): Promise<Answer> {
  let asked: Promise<Answer> | undefined;
  await inTenant(house.app, team.tenant, async (work) => {
    await advance(work, await getOrder(work, id), { to });
    asked = ask();
    await expect.poll(() => waitingForLocks(house)).toBeGreaterThan(0);
  });
  if (!asked) throw new Error('Nobody asked');
  return asked;
}

describe('in the moment in which an order moves', () => {
  it('its cancellation follows the move', async () => {
    const id = await place('walk_in_test');
    const answer = await whileMoved(id, 'requisition_created', () => team.post(`/v3/order/${id}/cancel`));
    expect([answer.status, answer.json.order?.status]).toEqual([200, 'cancelled']);
  });

  it('its draw is told after the move', async () => {
    const id = await place('on_site_collection');
    const answer = await whileMoved(id, 'requisition_created', () =>
      team.patch(`/v3/order/${id}/draw_completed`),
    );
    expect([answer.status, answer.json.order?.last_event.status]).toEqual([
      200,
      'sample_with_lab.on_site_collection.draw_completed',
    ]);
  });

  it('its kit is registered where it has come', async () => {
    const userId = await team.user();
    const sent = await team.post('/v3/order/testkit', {
      user_id: userId,
      lab_test_id: await testOf('testkit'),
      shipping_details: shipping,
    });
    const { id, sample_id: sampleId } = sent.json.order;
    await inTenant(house.app, team.tenant, async (work) => {
      let kit = await getOrder(work, id);
      for (const to of ['awaiting_registration', 'transit_customer'] as const)
        kit = await advance(work, kit, { to });
    });
    const answer = await whileMoved(id, 'with_customer', () =>
      team.post('/v3/order/testkit/register', registration(sampleId, userId)),
    );
    expect([answer.status, answer.json.order?.last_event.status]).toEqual([
      200,
      'received.testkit.testkit_registered',
    ]);
  });
});
