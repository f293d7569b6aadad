import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { hooksIn, numbersOf, until } from '../../test/hook.ts';
import { openHouse, type House } from '../../test/house.ts';
import { waitingForLocks } from '../../test/locks.ts';
import { openRelease } from '../../test/receiver.ts';
import { inTenant } from '../app.ts';
import { DAY, HOUR, later, SECOND } from '../platform/clock.ts';
import { switchOn } from './disable-endpoint.ts';

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

/** A webhook that answers when it is released, and another place where the team could have it. */
async function twoPlaces(status: number) {
  const team = await house.team();
  const hook = await hooks.hook(team, { filter_types: ['test.*'] });
  const { receiver } = await hooks.hook(team, { filter_types: ['labtest.*'] });
  const { release, released } = openRelease();
  hook.receiver.answer = () => ({ status, after: released });
  return { team, hook, there: { ...hook, receiver }, release };
}

describe('a webhook that is changed while a message is on its way', () => {
  it('is not disabled for a 410 of where it was', async () => {
    const { team, hook, there, release } = await twoPlaces(410);
    await hooks.say(team, 1);
    await until(() => hook.receiver.received.length === 1);
    await team.management.patch(hook.path, { url: there.receiver.url });
    release();
    await house.settle();
    expect((await team.management.get(hook.path)).json.disabled).toBe(false);
    await hooks.move(6 * SECOND);
    expect(numbersOf(there)).toEqual([1]);
    there.receiver.answer = () => ({ status: 410 });
    await hooks.say(team, 2);
    await house.settle();
    expect((await team.management.get(hook.path)).json.disabled).toBe(true);
  });

  it('is not held responsible for five days of failures of where it was', async () => {
    const { team, hook, there, release } = await twoPlaces(500);
    await house.owner.query(
      `update webhook_endpoint set first_failure_at = $2, last_failure_at = $3, failing_since = $2 where id = $1`,
      [hook.id, later(house.clock.now(), -5 * DAY), later(house.clock.now(), -HOUR)],
    );
    there.receiver.answer = () => ({ status: 500 });
    await hooks.say(team, 1);
    await until(() => hook.receiver.received.length === 1);
    await team.management.patch(hook.path, { url: there.receiver.url });
    release();
    await house.settle();
    // Where it is now no day has passed, and in the first twelve hours none begins.
    for (const hours of [6, 5]) {
      expect((await team.management.get(hook.path)).json.disabled).toBe(false);
      await hooks.move(hours * HOUR);
    }
    expect((await team.management.get(hook.path)).json.disabled).toBe(false);
    expect(numbersOf(hook)).toEqual([1]);
    expect(numbersOf(there).length).toBeGreaterThan(1);
  });

  it('gets the message later that it refused in the moment in which it was enabled again', async () => {
    const { team, hook, release } = await twoPlaces(500);
    await hooks.say(team, 1);
    await until(() => hook.receiver.received.length === 1);
    await team.management.patch(hook.path, { disabled: true });
    await inTenant(house.app, team.tenant, async (work) => {
      await switchOn(work, hook.id);
      release();
      // What came of the attempt is about to be written down, and finds the webhook disabled still.
      await until(async () => (await waitingForLocks(house, '%webhook_%')) > 0);
    });
    await house.settle();
    expect(await hooks.statusOf(hook)).toEqual([{ status: 'pending', attempts: 1 }]);
    hook.receiver.answer = () => ({ status: 200 });
    await hooks.move(6 * SECOND);
    expect(numbersOf(hook)).toEqual([1, 1]);
  });
});
