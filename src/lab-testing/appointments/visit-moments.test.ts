import { afterAll, beforeAll, expect, it } from 'vitest';
import { openHouse, type House, type TeamInHand } from '../../../test/house.ts';
import { book, orderFor, pathOf } from '../../../test/visits.ts';
import { MINUTE } from '../../platform/clock.ts';

let house: House;
let team: TeamInHand;
beforeAll(async () => {
  house = await openHouse();
  team = await house.team();
});
afterAll(() => house.close());

it('of a visit do not run backwards where the clock was set back', async () => {
  const id = await orderFor(team, 'phlebotomy');
  await book(team, 'phlebotomy', id);
  house.clock.move(-MINUTE);

  const reasons = await team.get('/v3/order/phlebotomy/appointment/cancellation-reasons');
  const body = { cancellation_reason_id: reasons.json[0].id };
  expect((await team.patch(pathOf('phlebotomy', id, '/cancel'), body)).status).toBe(200);

  const { events } = (await team.get(pathOf('phlebotomy', id))).json;
  const moments = events.map((event: { created_at: string }) => event.created_at);
  expect(moments.length).toBeGreaterThan(1);
  expect(moments).toEqual(moments.toSorted());
});
