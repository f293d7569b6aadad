import { afterAll, beforeAll, expect, it } from 'vitest';
import { webhookFixture, waitUntil } from '../../test/webhook-fixture.ts';
import { openTestService, type TestService } from '../../test/service.ts';
import { stallInTransaction } from '../../test/stalled-transaction.ts';
import { SECOND } from '../platform/clock.ts';
import { tryLockFanOut } from './store.ts';

let service: TestService;
let hooks: ReturnType<typeof webhookFixture>;
beforeAll(async () => {
  service = await openTestService();
  hooks = webhookFixture(service);
});
afterAll(async () => {
  await service.close();
  await hooks.close();
});

it('events continue when a process hangs in a fan-out without closing its connection', async () => {
  const team = await service.team();
  const { receiver } = await hooks.hook(team);
  const process = stallInTransaction(service.app.db, (tx) => waitUntil(() => tryLockFanOut(tx)));
  expect(await process.stopped).toBeLessThanOrEqual(10 * SECOND);
  await hooks.say(team, 1);
  await waitUntil(() => receiver.received.length === 1);
  expect(await process.resume()).toBe('undone');
});
