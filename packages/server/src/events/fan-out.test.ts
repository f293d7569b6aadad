import { expect, it } from 'vitest';
import { useWebhookFixture, waitUntil } from '../../test/webhook-fixture.ts';
import { useTestService } from '../../test/service-hooks.ts';
import { stallInTransaction } from '../../test/stalled-transaction.ts';
import { SECOND } from '../platform/clock.ts';
import { tryLockFanOut } from './store.ts';

const service = useTestService();
const hooks = useWebhookFixture(service);

it('events continue when a process hangs in a fan-out without closing its connection', async () => {
  const team = await service.team();
  const { receiver } = await hooks.hook(team);
  const process = stallInTransaction(service.app.db, (tx) => waitUntil(() => tryLockFanOut(tx)));
  expect(await process.stopped).toBeLessThanOrEqual(10 * SECOND);
  await hooks.say(team, 1);
  await waitUntil(() => receiver.received.length === 1);
  expect(await process.resume()).toBe('undone');
});
