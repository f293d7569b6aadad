import { describe, expect, it } from 'vitest';
import { removeAttempts } from '../../../test/old-attempts.ts';
import { createLatch } from '../../../test/receiver.ts';
import type { TestTeam } from '../../../test/service.ts';
import { useTestService } from '../../../test/service-hooks.ts';
import { useWebhookFixture, waitUntil, type TestEndpoint } from '../../../test/webhook-fixture.ts';
import { DAY, HOUR, later, MINUTE, SECOND } from '../../platform/clock.ts';

const service = useTestService();
const hooks = useWebhookFixture(service);

const statisticsOf = async (team: TestTeam, { path }: TestEndpoint, query = '') => {
  const answer = await team.management.get(`${path}/statistics${query}`);
  expect(answer.status, answer.text).toBe(200);
  return answer.json;
};
const numbers = (count: number) => Array.from({ length: count }, (_, n) => n);

describe('the statistics of an endpoint', () => {
  it('are empty buckets before the first attempt', async () => {
    const team = await service.team();
    const json = await statisticsOf(team, await hooks.hook(team));
    expect(json).toMatchObject({ bucket: '1h', total: { succeeded: 0, failed: 0 } });
    expect(json.total.answer_ms).toEqual({ p50: null, p95: null });
    expect(json.data.length).toBeGreaterThanOrEqual(24);
    expect(json.data.length).toBeLessThanOrEqual(25);
  });

  it('count attempts recorded alone and in blocks, and nothing of tests and other endpoints', async () => {
    const team = await service.team();
    const [hook, other] = [await hooks.hook(team), await hooks.hook(team)];
    hook.receiver.respond = ({ body }) => ({ status: body.data['n'] === 3 ? 500 : 200 });
    await hooks.say(team, ...numbers(20));
    await service.settle();
    await team.management.post(`${hook.path}/test`, {});
    await service.settle();
    const json = await statisticsOf(team, hook);
    expect(json.total).toMatchObject({ succeeded: 19, failed: 1 });
    expect(json.total.answer_ms.p50).toBeGreaterThanOrEqual(0);
    expect(json.data.at(-1)).toMatchObject({ succeeded: 19, failed: 1 });
    expect((await statisticsOf(team, other)).total).toMatchObject({ succeeded: 20, failed: 0 });
  });

  it('measure from the event to its receipt, with the retries between', async () => {
    const team = await service.team();
    const hook = await hooks.hook(team);
    hook.receiver.respond = () => ({ status: 503 });
    await hooks.say(team, 1);
    await service.settle();
    const failed = await statisticsOf(team, hook);
    expect(failed.total).toMatchObject({ succeeded: 0, failed: 1, receipt_ms: { p50: null, p95: null } });
    expect(failed.total.answer_ms.p95).not.toBeNull();
    hook.receiver.respond = () => ({ status: 200 });
    await hooks.move(30 * SECOND);
    const { total } = await statisticsOf(team, hook);
    expect(total).toMatchObject({ succeeded: 1, failed: 1 });
    // Thirty seconds, within the factor of a step.
    expect(total.receipt_ms.p50).toBeGreaterThan(21_000);
    expect(total.receipt_ms.p50).toBeLessThan(43_000);
  });

  it('have no answer time for an endpoint that cannot be reached', async () => {
    const team = await service.team();
    const hook = await hooks.hook(team);
    await hook.receiver.close();
    await hooks.say(team, 1);
    await service.settle();
    expect((await statisticsOf(team, hook)).total).toMatchObject({
      failed: 1,
      answer_ms: { p50: null, p95: null },
    });
  });

  it('are read for a range, in buckets of a chosen size', async () => {
    const team = await service.team();
    const hook = await hooks.hook(team);
    const before = service.clock.now();
    await hooks.say(team, 1, 2);
    await service.settle();
    await hooks.move(3 * HOUR);
    await hooks.say(team, 3);
    await service.settle();
    const range = (from: Date, to: Date, bucket: string) =>
      `?from=${from.toISOString()}&to=${to.toISOString()}&bucket=${bucket}`;
    const now = later(service.clock.now(), MINUTE);
    const quarters = await statisticsOf(team, hook, range(before, now, '15m'));
    expect(quarters.data.filter(({ succeeded }: { succeeded: number }) => succeeded > 0)).toHaveLength(2);
    expect(quarters.total.succeeded).toBe(3);
    const late = await statisticsOf(team, hook, range(later(now, -HOUR), now, '1h'));
    expect(late.total.succeeded).toBe(1);
    expect((await statisticsOf(team, hook, range(later(now, -DAY), now, '1d'))).total.succeeded).toBe(3);
    expect((await statisticsOf(team, hook, '?hours=1&bucket=15m')).total.succeeded).toBe(1);
    expect((await statisticsOf(team, hook, '?hours=720&bucket=6h')).data.length).toBeGreaterThan(119);
  });

  it('refuse a range that is empty, too long or too fine', async () => {
    const team = await service.team();
    const hook = await hooks.hook(team);
    for (const [query, field] of [
      ['from=2026-03-02T00:00:00Z&to=2026-03-01T00:00:00Z', 'from'],
      ['from=2025-03-02T00:00:00Z&to=2026-03-01T00:00:00Z&bucket=1d', 'from'],
      ['from=2026-01-02T00:00:00Z&to=2026-03-01T00:00:00Z&bucket=15m', 'bucket'],
      ['bucket=2m', 'bucket'],
    ]) {
      const answer = await team.management.get(`${hook.path}/statistics?${query}`);
      expect(answer.status, answer.text).toBe(422);
      expect(answer.json.detail[0].loc).toEqual(['query', field]);
    }
  });

  it('of another team are a 404', async () => {
    const [team, other] = [await service.team(), await service.team()];
    const hook = await hooks.hook(team);
    const foreign = hook.path
      .replace(team.tenant.teamId, other.tenant.teamId)
      .replace(team.orgId, other.orgId);
    expect((await other.management.get(`${foreign}/statistics`)).status).toBe(404);
  });

  it('lose nothing to senders that record at the same time', async () => {
    const team = await service.team();
    const hook = await hooks.hook(team);
    const latch = createLatch();
    hook.receiver.respond = () => ({ status: 200, after: latch.released });
    await hooks.say(team, ...numbers(120));
    await waitUntil(() => hook.receiver.received.length > 8);
    latch.release();
    await service.settle();
    expect((await statisticsOf(team, hook)).total.succeeded).toBe(120);
  });

  it('are removed by age with the attempts', async () => {
    const team = await service.team();
    const hook = await hooks.hook(team);
    await hooks.say(team, 1);
    await service.settle();
    await removeAttempts(service, team, later(service.clock.now(), 31 * DAY));
    expect((await statisticsOf(team, hook)).total.succeeded).toBe(0);
  });
});
