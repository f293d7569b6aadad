import { expect, it } from 'vitest';
import { useWebhookFixture, receivedNumbers, type TestEndpoint } from '../../../test/webhook-fixture.ts';
import type { TestTeam } from '../../../test/service.ts';
import { useTestService } from '../../../test/service-hooks.ts';
import { DAY, later, SECOND } from '../../platform/clock.ts';
import { asSystem } from '../../platform/db/transact.ts';
import { newBundleId } from './bundle.ts';
import { insertBundles } from './bundle-store.ts';
import { cleanEndpoint } from './cleaner.ts';

const service = useTestService();
const hooks = useWebhookFixture(service);

const cleaned = ({ tenant }: TestTeam, { id }: TestEndpoint) =>
  cleanEndpoint(service.app, {
    team_id: tenant.teamId,
    environment: tenant.environment,
    id,
    clock_offset_ms: 0,
  });

it('releases a message that was held just when its user was restored, and no other', async () => {
  const team = await service.team();
  const hook = await hooks.hook(team);
  hook.receiver.respond = () => ({ status: 500 });
  const [there, gone] = [await team.user(), await team.user()];
  await hooks.sayOf(team, there, 1);
  await hooks.sayOf(team, gone, 2);
  await service.settle();
  await team.delete(`/v2/user/${gone}`);
  // The state left by a sender that read before the user was restored, and wrote after.
  await service.ownerPool.query("update webhook_delivery set status = 'held' where endpoint_id = $1", [
    hook.id,
  ]);
  hook.receiver.respond = () => ({ status: 200 });
  const before = hook.receiver.received.length;
  await cleaned(team, hook);
  await hooks.move(6 * SECOND);
  expect(receivedNumbers(hook).slice(before)).toEqual([1]);
  expect((await hooks.statusOf(hook)).map(({ status }) => status)).toEqual(['delivered', 'held']);
});

it('releases messages postponed by a clock that was days ahead, and no others', async () => {
  const team = await service.team();
  const [early, late] = [await hooks.hook(team), await hooks.hook(team)];
  const answer = (status: number) => {
    for (const { receiver } of [early, late]) receiver.respond = () => ({ status });
  };
  answer(500);
  await hooks.say(team, 1, 2);
  await service.settle();
  // All of them wait for their next attempt; then the clock of the machine is corrected.
  service.clock.move(-3 * DAY);
  await hooks.say(team, 3);
  await service.settle();
  answer(200);
  await cleaned(team, late);
  await hooks.move(6 * SECOND);
  const statusOf = async (hook: TestEndpoint) => (await hooks.statusOf(hook)).map(({ status }) => status);
  expect(await statusOf(late)).toEqual(['delivered', 'delivered', 'delivered']);
  expect(await statusOf(early)).toEqual(['pending', 'pending', 'delivered']);
});

it('releases bundles that were enqueued while a clock was days ahead', async () => {
  const team = await service.team();
  await hooks.say(team, 1, 2, 3, 4, 5);
  await service.settle();
  const hook = await hooks.hook(team);
  const { rows } = await service.ownerPool.query<{ id: string }>('select id from event where team_id = $1', [
    team.tenant.teamId,
  ]);
  const { teamId: team_id, environment } = team.tenant;
  const bundle = { team_id, environment, id: newBundleId(), endpoint_id: hook.id };
  const owed = { ...bundle, event_ids: rows.map(({ id }) => id) };
  await asSystem(service.app.db, (tx) => insertBundles(tx, [owed], later(service.clock.now(), 3 * DAY)));
  await hooks.move(SECOND);
  expect(receivedNumbers(hook)).toEqual([]);
  await cleaned(team, hook);
  await hooks.move(SECOND);
  expect(receivedNumbers(hook).toSorted()).toEqual([1, 2, 3, 4, 5]);
});
