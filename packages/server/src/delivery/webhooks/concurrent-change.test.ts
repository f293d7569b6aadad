import { describe, expect, it } from 'vitest';
import { useWebhookFixture, receivedNumbers, waitUntil } from '../../../test/webhook-fixture.ts';
import { useTestService } from '../../../test/service-hooks.ts';
import { countLockWaiters } from '../../../test/locks.ts';
import { createLatch } from '../../../test/receiver.ts';
import { inTenant } from '../../app.ts';
import { DAY, HOUR, later, SECOND } from '../../platform/clock.ts';
import { markEnabled } from './disable-endpoint.ts';

const service = useTestService();
const hooks = useWebhookFixture(service);

/** A webhook that responds when released, and another URL that the team could use. */
async function twoPlaces(status: number) {
  const team = await service.team();
  const hook = await hooks.hook(team, { filter_types: ['test.*'] });
  const { receiver } = await hooks.hook(team, { filter_types: ['labtest.*'] });
  const { release, released } = createLatch();
  hook.receiver.respond = () => ({ status, after: released });
  return { team, hook, there: { ...hook, receiver }, release };
}

describe('a webhook that is changed while a message is in flight', () => {
  it('is not disabled for a 410 of its former URL', async () => {
    const { team, hook, there, release } = await twoPlaces(410);
    await hooks.say(team, 1);
    await waitUntil(() => hook.receiver.received.length === 1);
    await team.management.patch(hook.path, { url: there.receiver.url });
    release();
    await service.settle();
    expect((await team.management.get(hook.path)).json.disabled).toBe(false);
    await hooks.move(6 * SECOND);
    expect(receivedNumbers(there)).toEqual([1]);
    there.receiver.respond = () => ({ status: 410 });
    await hooks.say(team, 2);
    await service.settle();
    expect((await team.management.get(hook.path)).json.disabled).toBe(true);
  });

  it('is not disabled for five days of failures of its former URL', async () => {
    const { team, hook, there, release } = await twoPlaces(500);
    await service.ownerPool.query(
      `update webhook_endpoint set first_failure_at = $2, last_failure_at = $3, failing_since = $2 where id = $1`,
      [hook.id, later(service.clock.now(), -5 * DAY), later(service.clock.now(), -HOUR)],
    );
    there.receiver.respond = () => ({ status: 500 });
    await hooks.say(team, 1);
    await waitUntil(() => hook.receiver.received.length === 1);
    await team.management.patch(hook.path, { url: there.receiver.url });
    release();
    await service.settle();
    // The new URL has no failures yet, and the five days do not start in the first twelve hours.
    for (const hours of [6, 5]) {
      expect((await team.management.get(hook.path)).json.disabled).toBe(false);
      await hooks.move(hours * HOUR);
    }
    expect((await team.management.get(hook.path)).json.disabled).toBe(false);
    expect(receivedNumbers(hook)).toEqual([1]);
    expect(receivedNumbers(there).length).toBeGreaterThan(1);
  });

  it('later gets a message that failed just when it was enabled again', async () => {
    const { team, hook, release } = await twoPlaces(500);
    await hooks.say(team, 1);
    await waitUntil(() => hook.receiver.received.length === 1);
    await team.management.patch(hook.path, { disabled: true });
    await inTenant(service.app, team.tenant, async (work) => {
      await markEnabled(work, hook.id);
      release();
      // The outcome is about to be recorded, and finds the webhook still disabled.
      await waitUntil(async () => (await countLockWaiters(service, '%webhook_%')) > 0);
    });
    await service.settle();
    expect(await hooks.statusOf(hook)).toEqual([{ status: 'pending', attempts: 1 }]);
    hook.receiver.respond = () => ({ status: 200 });
    await hooks.move(6 * SECOND);
    expect(receivedNumbers(hook)).toEqual([1, 1]);
  });
});
