import { expect, it } from 'vitest';
import { useTestService, useTestTeam } from '../../../test/service-hooks.ts';
import { bookAppointment, orderFor, appointmentPath } from '../../../test/appointments.ts';
import { MINUTE } from '../../platform/clock.ts';

const service = useTestService();
const team = useTestTeam(service);

it('timestamps of events do not run backwards after the clock was set back', async () => {
  const id = await orderFor(team, 'phlebotomy');
  await bookAppointment(team, 'phlebotomy', id);
  service.clock.move(-MINUTE);

  const reasons = await team.get('/v3/order/phlebotomy/appointment/cancellation-reasons');
  const body = { cancellation_reason_id: reasons.json[0].id };
  expect((await team.patch(appointmentPath('phlebotomy', id, '/cancel'), body)).status).toBe(200);

  const { events } = (await team.get(appointmentPath('phlebotomy', id))).json;
  const moments = events.map((event: { created_at: string }) => event.created_at);
  expect(moments.length).toBeGreaterThan(1);
  expect(moments).toEqual(moments.toSorted());
});
