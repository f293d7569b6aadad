import { describe, expect, it } from 'vitest';
import {
  useWebhookFixture,
  receivedNumbers,
  waitUntil,
  type TestEndpoint,
} from '../../../test/webhook-fixture.ts';
import { reservePositions } from '../../../test/event-positions.ts';
import type { TestTeam } from '../../../test/service.ts';
import { useTestService } from '../../../test/service-hooks.ts';
import { HOUR, later } from '../../platform/clock.ts';
import { MOVE_BATCH_MAX } from './move-queue.ts';

const service = useTestService();
const hooks = useWebhookFixture(service);

const LONG = MOVE_BATCH_MAX + 1;

/** Messages that wait for their next attempt, one after the other. */
async function fill({ tenant }: TestTeam, { id }: TestEndpoint): Promise<void> {
  const before = await reservePositions(service.ownerPool, tenant, LONG);
  await service.ownerPool.query(
    `with more as (
       insert into event (team_id, environment, id, event_type, data, created_at, position)
       select e.team_id, e.environment, gen_random_uuid(), 'test.something.happened', '', $3,
         $5::bigint + n from webhook_endpoint e, generate_series(1, $2::int) n where e.id = $1
       returning *)
     insert into webhook_delivery (team_id, environment, id, endpoint_id, event_id, due_at, due_wall, created_at)
     select team_id, environment, gen_random_uuid(), $1, id, due, due, $3 from more
     cross join lateral (select $4::timestamptz + interval '1 ms' * (position - $5) as due) d`,
    [id, LONG, service.clock.now(), later(service.clock.now(), HOUR), before],
  );
}

/** Runs while another transaction locks the last message of a queue. */
async function whileLastIsHeld({ id }: TestEndpoint, run: () => Promise<void>): Promise<void> {
  const client = await service.ownerPool.connect();
  await client.query('begin');
  await client.query(
    'select from webhook_delivery where endpoint_id = $1 order by due_wall desc limit 1 for update',
    [id],
  );
  await run().finally(() => client.query('commit'));
  client.release();
}

describe('a webhook with a long queue', () => {
  it.each([
    ['is disabled', true, 'held'],
    ['is enabled again', false, 'pending'],
  ] as const)(
    'keeps no events waiting while it %s, and all its messages follow',
    async (_, disabled, status) => {
      const [team, other] = [await service.team(), await service.team()];
      const [hook, beside, elsewhere] = [
        await hooks.hook(team),
        await hooks.hook(team),
        await hooks.hook(other),
      ];
      await fill(team, hook);
      if (!disabled) await team.management.patch(hook.path, { disabled: true });
      await service.settle();
      await whileLastIsHeld(hook, async () => {
        expect((await team.management.patch(hook.path, { disabled })).json.disabled).toBe(disabled);
        await hooks.say(team, 1);
        await hooks.say(other, 2);
        await waitUntil(() => beside.receiver.received.length + elsewhere.receiver.received.length === 2);
      });
      await service.settle();
      expect([receivedNumbers(beside), receivedNumbers(elsewhere)]).toEqual([[1], [2]]);
      const stand = (await hooks.statusOf(hook)).filter((message) => message.status !== 'delivered');
      expect(stand).toEqual(Array.from({ length: LONG }, () => ({ status, attempts: 0 })));
    },
  );

  it('does not delay events while it is deleted: it is invisible, and all its messages are removed', async () => {
    const [team, other] = [await service.team(), await service.team()];
    const [hook, beside, elsewhere] = [
      await hooks.hook(team),
      await hooks.hook(team),
      await hooks.hook(other),
    ];
    await hooks.say(team, 0);
    await waitUntil(() => hook.receiver.received.length + beside.receiver.received.length === 2);
    await fill(team, hook);
    await whileLastIsHeld(hook, async () => {
      expect((await team.management.delete(hook.path)).status).toBe(204);
      expect((await team.management.get(hook.path)).status).toBe(404);
      expect((await team.management.delete(hook.path)).status).toBe(404);
      const { json } = await team.management.get(hook.path.replace(/\/[^/]*$/, ''));
      expect(json.data.map(({ id }: { id: string }) => id)).toEqual([beside.id]);
      await hooks.say(team, 1);
      await hooks.say(other, 2);
      await waitUntil(() => beside.receiver.received.length + elsewhere.receiver.received.length === 3);
    });
    await service.settle();
    expect([receivedNumbers(hook), receivedNumbers(beside), receivedNumbers(elsewhere)]).toEqual([
      [0],
      [0, 1],
      [2],
    ]);
    expect(await hooks.statusOf(hook)).toEqual([]);
    const { rows } = await service.ownerPool.query('select from webhook_endpoint where id = $1', [hook.id]);
    expect(rows).toEqual([]);
  });
});
