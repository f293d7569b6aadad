import { expect, it } from 'vitest';
import { useTestService } from '../../test/service-hooks.ts';
import { useWebhookFixture, waitUntil } from '../../test/webhook-fixture.ts';
import type { App } from '../app.ts';
import { createNotifier } from '../platform/jobs/notifier.ts';
import type { Tenant } from '../platform/tenant.ts';
import { openLiveEvents, type LogReader } from './live-events.ts';

const service = useTestService();
const hooks = useWebhookFixture(service);

/** The app with a count of the connections that it takes from the pool, and a notifier that nothing else uses. */
function withCountedConnections(app: App): { app: App; taken: () => number } {
  let taken = 0;
  const pool = new Proxy(app.db.pool, {
    get: (target, key) => {
      const value: unknown = Reflect.get(target, key);
      if (typeof value !== 'function') return value;
      if (key === 'connect') taken += 1;
      return value.bind(target);
    },
  });
  return { app: { ...app, db: { ...app.db, pool }, notifier: createNotifier() }, taken: () => taken };
}

function readerOf(tenant: Tenant) {
  const positions: number[] = [];
  const reader: LogReader = {
    tenant,
    position: 0,
    isOpen: true,
    receive: (notices) => positions.push(...notices.map(({ position }) => position)),
    drained: () => Promise.resolve(),
    end: () => {},
  };
  return { reader, positions };
}

const READERS = 50;

it('reads the log of a tenant once for all its readers, and not at all without readers', async () => {
  const team = await service.team();
  const counted = withCountedConnections(service.app);
  const live = openLiveEvents(counted.app);
  const readers = Array.from({ length: READERS }, () => readerOf(team.tenant));
  await hooks.say(team, 1);
  await service.settle();
  const leave = readers.map(({ reader }) => live.follow(reader));
  await waitUntil(() => readers.every(({ positions }) => positions.length === 1));
  // Each has read the old events once, to join the others.
  await waitUntil(() => counted.taken() > READERS);
  const before = counted.taken();
  await hooks.say(team, 2, 3);
  await service.settle();
  counted.app.notifier.notify('positions');
  await waitUntil(() => readers.every(({ positions }) => positions.length === 3));
  expect(counted.taken() - before).toBeLessThan(READERS / 2);
  expect(readers.every(({ positions }) => positions.join() === '1,2,3')).toBe(true);
  for (const stop of leave) stop();
  await hooks.say(team, 4);
  await service.settle();
  const after = counted.taken();
  counted.app.notifier.notify('positions');
  await hooks.say(team, 5);
  await service.settle();
  expect(counted.taken()).toBe(after);
  expect(readers.every(({ positions }) => positions.length === 3)).toBe(true);
});
