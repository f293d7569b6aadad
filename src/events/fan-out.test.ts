import { afterAll, beforeAll, expect, it } from 'vitest';
import { hooksIn, until } from '../../test/hook.ts';
import { openHouse, type House } from '../../test/house.ts';
import { stopWithin } from '../../test/stopped.ts';
import { SECOND } from '../platform/clock.ts';
import { lockFanOut } from './store.ts';

let house: House;
let hooks: ReturnType<typeof hooksIn>;
beforeAll(async () => {
  house = await openHouse();
  hooks = hooksIn(house);
});
afterAll(async () => {
  await house.close();
  await hooks.close();
});

it('events go on when a process is stopped in the middle of a fan-out and closes no connection', async () => {
  const team = await house.team();
  const { receiver } = await hooks.hook(team);
  const process = stopWithin(house.app.db, (tx) => until(() => lockFanOut(tx)));
  expect(await process.stopped).toBeLessThanOrEqual(10 * SECOND);
  await hooks.say(team, 1);
  await until(() => receiver.received.length === 1);
  expect(await process.resume()).toBe('undone');
});
