import { afterAll, beforeAll, expect, it } from 'vitest';
import { hooksIn, numbersOf, type Hook } from '../../test/hook.ts';
import { openHouse, type House, type TeamInHand } from '../../test/house.ts';
import { DAY, later, SECOND } from '../platform/clock.ts';
import { asSystem } from '../platform/db/transact.ts';
import { newBundleId } from './bundle.ts';
import { insertBundles } from './bundle-store.ts';
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

const cleaned = ({ tenant }: TeamInHand, { id }: Hook) =>
  clean(house.app, { team_id: tenant.teamId, environment: tenant.environment, id, clock_offset_ms: 0 });

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
  await cleaned(team, hook);
  await hooks.move(6 * SECOND);
  expect(numbersOf(hook).slice(before)).toEqual([1]);
  expect((await hooks.statusOf(hook)).map(({ status }) => status)).toEqual(['delivered', 'held']);
});

it('lets messages go that a clock put off before it was set back by days, and leaves those that wait as they should', async () => {
  const team = await house.team();
  const [early, late] = [await hooks.hook(team), await hooks.hook(team)];
  const answer = (status: number) => {
    for (const { receiver } of [early, late]) receiver.answer = () => ({ status });
  };
  answer(500);
  await hooks.say(team, 1, 2);
  await house.settle();
  // All of them wait for their next try; then the clock of the machine is put right.
  house.clock.move(-3 * DAY);
  await hooks.say(team, 3);
  await house.settle();
  answer(200);
  await cleaned(team, late);
  await hooks.move(6 * SECOND);
  const statusOf = async (hook: Hook) => (await hooks.statusOf(hook)).map(({ status }) => status);
  expect(await statusOf(late)).toEqual(['delivered', 'delivered', 'delivered']);
  expect(await statusOf(early)).toEqual(['pending', 'pending', 'delivered']);
});

it('lets bundles of messages go that became owed while a clock was days ahead', async () => {
  const team = await house.team();
  await hooks.say(team, 1, 2, 3, 4, 5);
  await house.settle();
  const hook = await hooks.hook(team);
  const { rows } = await house.owner.query<{ id: string }>('select id from event where team_id = $1', [
    team.tenant.teamId,
  ]);
  const { teamId: team_id, environment } = team.tenant;
  const bundle = { team_id, environment, id: newBundleId(), endpoint_id: hook.id };
  const owed = { ...bundle, event_ids: rows.map(({ id }) => id) };
  await asSystem(house.app.db, (tx) => insertBundles(tx, [owed], later(house.clock.now(), 3 * DAY)));
  await hooks.move(SECOND);
  expect(numbersOf(hook)).toEqual([]);
  await cleaned(team, hook);
  await hooks.move(SECOND);
  expect(numbersOf(hook).toSorted()).toEqual([1, 2, 3, 4, 5]);
});
