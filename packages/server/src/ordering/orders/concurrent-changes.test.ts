import { describe, expect, it } from 'vitest';
import { registration, shipping } from '../../../test/examples.ts';
import { createOrder, findLabTestId } from '../../../test/orders.ts';
import type { ApiResponse } from '../../../test/service.ts';
import { useTestService, useTestTeam } from '../../../test/service-hooks.ts';
import { countLockWaiters } from '../../../test/locks.ts';
import { inTenant } from '../../app.ts';
import { advanceOrder, getOrder } from './orders.ts';
import type { OrderStep } from './status.ts';

const service = useTestService();
const team = useTestTeam(service);

/** What somebody asks for while the order is moved, which is committed once they wait for it. */
async function whileMoved(id: string, to: OrderStep, ask: () => Promise<ApiResponse>): Promise<ApiResponse> {
  let asked: Promise<ApiResponse> | undefined;
  await inTenant(service.app, team.tenant, async (work) => {
    await advanceOrder(work, await getOrder(work, id), { to });
    asked = ask();
    await expect.poll(() => countLockWaiters(service)).toBeGreaterThan(0);
  });
  if (!asked) throw new Error('Nobody asked');
  return asked;
}

describe('concurrent with a step change of the order', () => {
  it('a cancellation is applied after the step change', async () => {
    const id = await createOrder(team, 'walk_in_test');
    const answer = await whileMoved(id, 'requisition_created', () => team.post(`/v3/order/${id}/cancel`));
    expect([answer.status, answer.json.order?.status]).toEqual([200, 'cancelled']);
  });

  it('a completed draw is recorded after the step change', async () => {
    const id = await createOrder(team, 'on_site_collection');
    const answer = await whileMoved(id, 'requisition_created', () =>
      team.patch(`/v3/order/${id}/draw_completed`),
    );
    expect([answer.status, answer.json.order?.last_event.status]).toEqual([
      200,
      'sample_with_lab.on_site_collection.draw_completed',
    ]);
  });

  it('a registration is applied at the new step', async () => {
    const userId = await team.user();
    const sent = await team.post('/v3/order/testkit', {
      user_id: userId,
      lab_test_id: await findLabTestId(team, 'testkit'),
      shipping_details: shipping,
    });
    const { id, sample_id: sampleId } = sent.json.order;
    await inTenant(service.app, team.tenant, async (work) => {
      let kit = await getOrder(work, id);
      for (const to of ['awaiting_registration', 'transit_customer'] as const)
        kit = await advanceOrder(work, kit, { to });
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
