import { describe, expect, it } from 'vitest';
import {
  useWebhookFixture,
  receivedNumbers,
  waitUntil,
  type TestEndpoint,
} from '../../../test/webhook-fixture.ts';
import { useTestService } from '../../../test/service-hooks.ts';

const service = useTestService();
const hooks = useWebhookFixture(service);

const LATE_MS = 300;

const rowsOf = async ({ id }: TestEndpoint) =>
  (
    await service.ownerPool.query<{ status: string; attempts: number }>(
      'select status, attempts from webhook_delivery where endpoint_id = $1',
      [id],
    )
  ).rows;

describe('a change by another process while a message is in flight', () => {
  it.each([200, 500])('is kept, although the response is %i', async (status) => {
    const team = await service.team();
    const hook = await hooks.hook(team);
    hook.receiver.respond = () => ({ status, afterMs: LATE_MS });
    await hooks.say(team, 1);
    await waitUntil(() => hook.receiver.received.length === 1);
    await service.ownerPool.query(
      `update webhook_delivery set status = 'failed', finished_at = $2 where endpoint_id = $1`,
      [hook.id, service.clock.now()],
    );
    const other = await hooks.hook(team, { filter_types: ['test.*'] });
    await hooks.say(team, 2);
    await waitUntil(() => receivedNumbers(other).length === 1 && receivedNumbers(hook).length === 2);
    await service.settle();
    const failed = (await rowsOf(hook)).filter((row) => row.status === 'failed');
    expect(failed).toEqual([{ status: 'failed', attempts: 0 }]);
    const { json } = await team.management.get(`${hook.path}/attempt?limit=100`);
    // Only the attempt of the second message.
    expect(json.data).toHaveLength(1);
  });
});

describe('a bundle', () => {
  it('is not sent while its endpoint is disabled, and is sent when it no longer is', async () => {
    const team = await service.team();
    const hook = await hooks.hook(team);
    const numbers = Array.from({ length: 10 }, (_, n) => n);
    await service.ownerPool.query('update webhook_endpoint set rate_limit = null where id = $1', [hook.id]);
    const client = await service.ownerPool.connect();
    try {
      await client.query(`select pg_advisory_lock(hashtextextended('aliquot.webhooks.claim', 0))`);
      await hooks.say(team, ...numbers);
      await waitUntil(async () => {
        const { rowCount } = await client.query('select from webhook_bundle where endpoint_id = $1', [
          hook.id,
        ]);
        return rowCount === 1;
      });
      // Without updating the queue, as in a race.
      await client.query('update webhook_endpoint set disabled_at = now() where id = $1', [hook.id]);
    } finally {
      await client.query('select pg_advisory_unlock_all()');
      client.release();
    }
    const other = await hooks.hook(team, { filter_types: ['test.*'] });
    await hooks.say(team, 10);
    await waitUntil(() => receivedNumbers(other).length === 1);
    expect(receivedNumbers(hook)).toEqual([]);
    await service.ownerPool.query('update webhook_endpoint set disabled_at = null where id = $1', [hook.id]);
    await service.settle();
    expect(
      receivedNumbers(hook)
        .map(Number)
        .toSorted((a, b) => a - b),
    ).toEqual(expect.arrayContaining(numbers));
  });
});
