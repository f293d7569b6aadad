import { expect, it } from 'vitest';
import { physician } from '../../../test/examples.ts';
import { createOrder } from '../../../test/orders.ts';
import { useTestService, useTestTeam } from '../../../test/service-hooks.ts';
import { inTenant } from '../../app.ts';
import { MINUTE } from '../../platform/clock.ts';
import { advanceOrder, getOrder, lockOrder } from './orders.ts';
import { setOrderColumns } from './row-store.ts';

const service = useTestService();
const team = useTestTeam(service);

const placed = (): Promise<string> => createOrder(team, 'walk_in_test', { physician });

function gate() {
  let open = () => {};
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { open, opened };
}

/** When the order came to each of its steps, and when it changed last. */
const momentsOf = async (id: string): Promise<string[]> => {
  const { events, updated_at: changed } = (await team.get(`/v3/order/${id}`)).json;
  return [...events.map((event: { created_at: string }) => event.created_at), changed];
};

it('timestamps of events do not run backwards after the clock was set back', async () => {
  const id = await placed();
  service.clock.move(-MINUTE);

  const moved = await team.post(`/v3/order/${id}/test?final_status=appointment_pending`);
  await inTenant(service.app, team.tenant, (work) => setOrderColumns(work, id, { sms_enabled: false }));

  const moments = await momentsOf(id);
  expect(moments).toEqual(Array.from({ length: 4 }, () => moments[0]));
  expect(moved.json.order.events.map((event: { created_at: string }) => event.created_at)).toEqual(
    moments.slice(0, 3),
  );
});

it('timestamps of events do not run backwards if the earlier transaction had to wait', async () => {
  const id = await placed();
  const [begun, free] = [gate(), gate()];
  const first = inTenant(service.app, team.tenant, async (work) => {
    begun.open();
    await free.opened;
    await lockOrder(work, id);
    await advanceOrder(work, await getOrder(work, id), { to: 'appointment_pending' });
  });
  await begun.opened;
  service.clock.move(MINUTE);
  await team.post(`/v3/order/${id}/test?final_status=requisition_created`);
  free.open();
  await first;

  const moments = await momentsOf(id);
  expect(moments).toEqual(moments.toSorted());
});
