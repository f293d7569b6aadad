import { describe, expect, it } from 'vitest';
import {
  useWebhookFixture,
  receivedNumbers,
  somethingHappened,
  waitUntil,
  type TestEndpoint,
} from '../../../test/webhook-fixture.ts';
import type { TestTeam } from '../../../test/service.ts';
import { useTestService } from '../../../test/service-hooks.ts';
import { createLatch } from '../../../test/receiver.ts';
import { inTenant } from '../../app.ts';
import { emit } from '../../events/events.ts';
import { MINUTE, SECOND } from '../../platform/clock.ts';
import { eraseAttempts } from './erase-attempts.ts';
import { startSender } from './sender.ts';

const service = useTestService();
const hooks = useWebhookFixture(service);

const numbers = (count: number) => Array.from({ length: count }, (_, n) => n);
const FORTY = numbers(40);

const count = async (table: 'webhook_bundle' | 'webhook_delivery', { id }: TestEndpoint): Promise<number> =>
  (await service.ownerPool.query(`select count(*)::int from ${table} where endpoint_id = $1`, [id])).rows[0]
    ?.count;

/** Forty messages to an endpoint that are queued in bundles while `happens` runs; then they are sent. */
async function waiting(team: TestTeam, hook: TestEndpoint, happens: () => Promise<unknown>): Promise<void> {
  await hooks.whileNobodyTakes(async () => {
    await hooks.say(team, ...FORTY);
    await waitUntil(
      async () => (await count('webhook_bundle', hook)) + (await count('webhook_delivery', hook)) >= 4,
    );
    expect(await count('webhook_bundle', hook)).toBe(4);
    await happens();
  });
  await service.settle();
}

const sorted = (values: readonly unknown[]) => values.map(Number).toSorted((a, b) => a - b);
const idsOf = ({ receiver }: TestEndpoint) =>
  receiver.received.map(({ headers }) => String(headers['webhook-id']));
const attemptsOf = async (
  team: TestTeam,
  { path }: TestEndpoint,
): Promise<{ message_id: string; attempt: number }[]> =>
  (await team.management.get(`${path}/attempt?limit=100`)).json.data;

describe('messages that are enqueued together', () => {
  it('are queued in bundles, sent once each, and leave attempts', async () => {
    const team = await service.team();
    const hook = await hooks.hook(team);
    await waiting(team, hook, async () => expect(await count('webhook_delivery', hook)).toBe(0));
    expect(sorted(receivedNumbers(hook))).toEqual(FORTY);
    expect(await count('webhook_bundle', hook)).toBe(0);
    expect(await count('webhook_delivery', hook)).toBe(0);
    const attempts = await attemptsOf(team, hook);
    expect(attempts.map(({ message_id: id }) => id).toSorted()).toEqual(idsOf(hook).toSorted());
    expect(new Set(attempts.map(({ attempt }) => attempt))).toEqual(new Set([1]));
  });

  it('are queued individually when they are few, or the endpoint has a rate limit or has failed', async () => {
    const team = await service.team();
    const few = await hooks.hook(team);
    const limited = await hooks.hook(team, { rate_limit: 100 });
    const failed = await hooks.hook(team);
    failed.receiver.respond = () => ({ status: 500 });
    await hooks.say(team, 0);
    await service.settle();
    await hooks.whileNobodyTakes(async () => {
      await hooks.say(team, 1, 2, 3);
      await waitUntil(async () => (await count('webhook_delivery', few)) >= 3);
      expect(await count('webhook_bundle', few)).toBe(0);
      await hooks.say(team, ...numbers(20));
      await waitUntil(async () => (await count('webhook_bundle', few)) === 2);
      expect(await count('webhook_bundle', limited)).toBe(0);
      expect(await count('webhook_bundle', failed)).toBe(0);
    });
    await team.management.delete(failed.path);
    await team.management.delete(limited.path);
    await service.settle();
  });

  it('are retried one by one, with the same ids, when some of them fail', async () => {
    const team = await service.team();
    const hook = await hooks.hook(team);
    const fails = (n: unknown) => Number(n) % 7 === 0;
    hook.receiver.respond = ({ body }) => ({ status: fails(body.data['n']) ? 500 : 200 });
    await waiting(team, hook, async () => {});
    const first = new Set(idsOf(hook));
    expect(first.size).toBe(FORTY.length);
    const statuses = await hooks.statusOf(hook);
    expect(statuses.filter(({ status }) => status === 'pending')).toEqual(
      FORTY.filter(fails).map(() => ({ status: 'pending', attempts: 1 })),
    );
    hook.receiver.respond = () => ({ status: 200 });
    await hooks.move(MINUTE);
    expect(hook.receiver.received).toHaveLength(FORTY.length + FORTY.filter(fails).length);
    expect(new Set(idsOf(hook))).toEqual(first);
    expect(await attemptsOf(team, hook)).toHaveLength(FORTY.length + FORTY.filter(fails).length);
    expect((await hooks.statusOf(hook)).filter(({ status }) => status !== 'delivered')).toEqual([]);
  });

  it('are recorded individually when one of them waits long for its response', async () => {
    const team = await service.team();
    const hook = await hooks.hook(team);
    const { release, released } = createLatch();
    hook.receiver.respond = ({ body }) => ({
      status: 200,
      ...(body.data['n'] === 3 ? { after: released } : {}),
    });
    await hooks.say(team, ...numbers(10));
    await waitUntil(async () => (await attemptsOf(team, hook)).length === 9);
    expect(await count('webhook_bundle', hook)).toBe(0);
    expect(await count('webhook_delivery', hook)).toBe(1);
    release();
    await service.settle();
    expect(await attemptsOf(team, hook)).toHaveLength(10);
    expect(hook.receiver.received).toHaveLength(10);
  });

  it('are held when the endpoint is disabled, and sent when it is enabled again', async () => {
    const team = await service.team();
    const hook = await hooks.hook(team);
    await waiting(team, hook, async () => {
      await team.management.patch(hook.path, { disabled: true });
      expect((await hooks.statusOf(hook)).map(({ status }) => status)).toEqual(FORTY.map(() => 'held'));
    });
    expect(hook.receiver.received).toEqual([]);
    await team.management.patch(hook.path, { disabled: false });
    await service.settle();
    expect(sorted(receivedNumbers(hook))).toEqual(FORTY);
  });

  it('are sent gradually when the endpoint gets a rate limit meanwhile', async () => {
    const team = await service.team();
    const hook = await hooks.hook(team);
    const moving = setInterval(() => service.clock.move(10), 10);
    try {
      await waiting(team, hook, () => team.management.patch(hook.path, { rate_limit: 200 }));
    } finally {
      clearInterval(moving);
    }
    expect(sorted(receivedNumbers(hook))).toEqual(FORTY);
  });

  it('are sent gradually when the endpoint has failed meanwhile', async () => {
    const team = await service.team();
    const hook = await hooks.hook(team);
    await waiting(team, hook, () =>
      service.ownerPool.query('update webhook_endpoint set first_failure_at = now() where id = $1', [
        hook.id,
      ]),
    );
    expect(sorted(receivedNumbers(hook))).toEqual(FORTY);
  });

  it('are not enqueued again by a resend or a replay while they wait', async () => {
    const team = await service.team();
    const hook = await hooks.hook(team);
    const { json: before } = await team.management.get(hook.path);
    await waiting(team, hook, async () => {
      const { rows } = await service.ownerPool.query<{ id: string }>(
        'select event_ids[2] as id from webhook_bundle where endpoint_id = $1 limit 1',
        [hook.id],
      );
      const again = await team.management.post(`${hook.path}/message/msg_${rows[0]?.id}/resend`, {});
      expect(again.status, again.text).toBeLessThan(300);
      const replay = await team.management.post(`${hook.path}/replay-missing`, { since: before.created_at });
      expect(replay.status, replay.text).toBeLessThan(300);
    });
    await hooks.move(MINUTE);
    expect(sorted(receivedNumbers(hook))).toEqual(FORTY);
  });
});

/** Ten messages at once, the last of them about a user. */
const sayTenOf = (team: TestTeam, user: string) =>
  inTenant(service.app, team.tenant, async (work) => {
    for (const n of numbers(10)) {
      const userId = n === 9 ? user : null;
      await emit(work, somethingHappened, { subject: { userId, clientUserId: userId }, data: { n } });
    }
  });

describe('a bundle with a message about a user', () => {
  it('who was deleted is sent without it, and the message goes when the user comes back', async () => {
    const team = await service.team();
    const hook = await hooks.hook(team, { filter_types: ['test.*'] });
    const user = await team.user();
    await hooks.whileNobodyTakes(async () => {
      await sayTenOf(team, user);
      await waitUntil(async () => (await count('webhook_bundle', hook)) === 1);
      await team.delete(`/v2/user/${user}`);
    });
    await service.settle();
    expect(sorted(receivedNumbers(hook))).toEqual(numbers(9));
    await team.post(`/v2/user/undo_delete?user_id=${user}`);
    await service.settle();
    expect(sorted(receivedNumbers(hook))).toEqual(numbers(10));
  });

  it('who is erased is sent without it, and nothing of it stays', async () => {
    const team = await service.team();
    const hook = await hooks.hook(team, { filter_types: ['test.*'] });
    const user = await team.user();
    await hooks.whileNobodyTakes(async () => {
      await sayTenOf(team, user);
      await waitUntil(async () => (await count('webhook_bundle', hook)) === 1);
      await inTenant(service.app, team.tenant, async (work) => {
        await eraseAttempts(service.app, work, user);
        await work.tx.deleteFrom('event').where('user_id', '=', user).execute();
      });
      expect(await hooks.statusOf(hook)).toHaveLength(9);
    });
    await service.settle();
    expect(sorted(receivedNumbers(hook))).toEqual(numbers(9));
    expect(await attemptsOf(team, hook)).toHaveLength(9);
  });
});

describe('senders', () => {
  it('claim each bundle once, and no message that was unpacked while in flight', async () => {
    const team = await service.team();
    const hook = await hooks.hook(team);
    const { release, released } = createLatch();
    hook.receiver.respond = () => ({ status: 200, after: released });
    const others = [startSender(service.app), startSender(service.app)];
    await hooks.say(team, ...numbers(10));
    await waitUntil(() => hook.receiver.received.length === 10);
    // Unpacks them without further change.
    const again = await team.management.post(`${hook.path}/message/${idsOf(hook)[4]}/resend`, {});
    expect(again.status, again.text).toBeLessThan(300);
    expect(await count('webhook_delivery', hook)).toBe(10);
    release();
    await service.settle();
    await Promise.all(others.map((sender) => sender.stop()));
    expect(sorted(receivedNumbers(hook))).toEqual(numbers(10));
    expect(await attemptsOf(team, hook)).toHaveLength(10);
  });

  it('resend the bundle of a killed sender, with the same ids', async () => {
    const team = await service.team();
    const hook = await hooks.hook(team);
    await hooks.whileNobodyTakes(async () => {
      await hooks.say(team, ...FORTY);
      await waitUntil(async () => (await count('webhook_bundle', hook)) === 4);
      await hooks.leaseAll(hook, new Date(service.clock.now().getTime() + MINUTE));
    });
    await hooks.say(team, 40);
    await waitUntil(() => hook.receiver.received.length > 0);
    expect(receivedNumbers(hook)).toEqual([40]);
    await hooks.move(MINUTE + SECOND);
    expect(sorted(receivedNumbers(hook))).toEqual([...FORTY, 40]);
  });
});
