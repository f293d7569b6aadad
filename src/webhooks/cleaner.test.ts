import { afterAll, beforeAll, expect, it } from 'vitest';
import { hooksIn, numbersOf } from '../../test/hook.ts';
import { openHouse, type House } from '../../test/house.ts';
import { SECOND } from '../platform/clock.ts';
import { clean } from './cleaner.ts';

let house: House;
let hooks: ReturnType<typeof hooksIn>;
beforeAll(async () => {
  house = await openHouse();
  hooks = hooksIn(house);
});
afterAll(async () => {
  await hooks.close();
  await house.close();
});

it('lets a message go that was held in the moment in which its user came back, and no other', async () => {
  const team = await house.team();
  const hook = await hooks.hook(team);
  hook.receiver.answer = () => ({ status: 500 });
  const [there, gone] = [await team.user(), await team.user()];
  await hooks.sayOf(team, there, 1);
  await hooks.sayOf(team, gone, 2);
  await house.settle();
  await team.delete(`/v2/user/${gone}`);
  // What a sender leaves that looked before the user came back, and wrote after.
  await house.owner.query("update webhook_delivery set status = 'held' where endpoint_id = $1", [hook.id]);
  hook.receiver.answer = () => ({ status: 200 });
  const before = hook.receiver.received.length;
  const place = { team_id: team.tenant.teamId, environment: team.tenant.environment, id: hook.id };
  await clean(house.app, { ...place, clock_offset_ms: 0 });
  await hooks.move(6 * SECOND);
  expect(numbersOf(hook).slice(before)).toEqual([1]);
  expect((await hooks.statusOf(hook)).map(({ status }) => status)).toEqual(['delivered', 'held']);
});
