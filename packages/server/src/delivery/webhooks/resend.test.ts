import { describe, expect, it } from 'vitest';
import { Webhook } from 'standardwebhooks';
import { useWebhookFixture, receivedNumbers } from '../../../test/webhook-fixture.ts';
import type { TestTeam } from '../../../test/service.ts';
import { useTestService } from '../../../test/service-hooks.ts';
import { DAY, HOUR, isoTimestamp, later, systemClock } from '../../platform/clock.ts';
import { newestPosition } from './replay-store.ts';
import { inTenant } from '../../app.ts';
import { replayMissing } from './replay.ts';
import { RETRY_DELAYS_MS } from './schedule.ts';

const service = useTestService();
const hooks = useWebhookFixture(service);

const now = () => isoTimestamp(service.clock.now());
const logOf = async (team: TestTeam) => {
  const path = `/v1/org/${team.orgId}/team/${team.tenant.teamId}/${team.tenant.environment}/event`;
  return (await team.management.get(path)).json;
};

describe('recovering', () => {
  it('resends failed messages once, and nothing else', async () => {
    const team = await service.team();
    const hook = await hooks.hook(team, { filter_types: ['test.*'] });
    const since = now();
    await hooks.say(team, 1);
    await service.settle();
    hook.receiver.respond = () => ({ status: 500 });
    await hooks.say(team, 2, 3);
    await service.settle();
    for (const step of RETRY_DELAYS_MS) await hooks.move(step * 1.1);
    const failed = async () => (await hooks.statusOf(hook)).map(({ status }) => status);
    expect(await failed()).toEqual(['delivered', 'failed', 'failed']);
    hook.receiver.respond = () => ({ status: 200 });
    const recover = () => team.management.post(`${hook.path}/recover`, { since });
    const before = hook.receiver.received.length;
    expect((await recover()).json).toEqual({ recovered: 2, has_more: false });
    expect((await recover()).json).toEqual({ recovered: 0, has_more: false });
    await service.settle();
    expect(await failed()).toEqual(['delivered', 'delivered', 'delivered']);
    expect(
      hook.receiver.received
        .slice(before)
        .map(({ body }) => body.data['n'])
        .toSorted(),
    ).toEqual([2, 3]);
  });

  it('covers the retention period, and requires an enabled webhook', async () => {
    const team = await service.team();
    const hook = await hooks.hook(team);
    const long = isoTimestamp(later(service.clock.now(), -31 * DAY));
    for (const path of ['recover', 'replay-missing']) {
      expect((await team.management.post(`${hook.path}/${path}`, { since: long })).status).toBe(400);
      expect((await team.management.post(`${hook.path}/${path}`, { since: 'then' })).status).toBe(422);
    }
    await team.management.patch(hook.path, { disabled: true });
    for (const path of ['recover', 'replay-missing', 'test']) {
      expect((await team.management.post(`${hook.path}/${path}`, { since: now() })).status, path).toBe(400);
    }
  });
});

describe('replaying missing events', () => {
  it('sends events from before the webhook was created, while it was disabled, and while its filter excluded them', async () => {
    const team = await service.team();
    await hooks.say(team, 0);
    await service.settle();
    service.clock.move(HOUR);
    const since = now();
    await hooks.say(team, 1);
    await service.settle();
    const hook = await hooks.hook(team, { filter_types: ['labtest.*'] });
    await hooks.say(team, 2);
    await service.settle();
    await team.management.patch(hook.path, { filter_types: ['test.*'], disabled: true });
    await hooks.say(team, 3);
    await service.settle();
    await team.management.patch(hook.path, { disabled: false });
    await hooks.say(team, 4);
    await service.settle();
    expect(receivedNumbers(hook)).toEqual([4]);
    const started = await team.management.post(`${hook.path}/replay-missing`, { since });
    expect([started.status, started.json.status]).toEqual([202, 'started']);
    await service.settle();
    expect(receivedNumbers(hook).toSorted()).toEqual([1, 2, 3, 4]);
    await team.management.post(`${hook.path}/replay-missing`, { since });
    await service.settle();
    expect(receivedNumbers(hook)).toHaveLength(4);
  });

  it('processes a long log in batches, and is idempotent', async () => {
    const team = await service.team();
    const other = await service.team();
    const since = service.clock.now();
    for (let block = 0; block < 6; block += 1) {
      const numbers = Array.from({ length: 200 }, (_, n) => block * 200 + n);
      await Promise.all([hooks.say(team, ...numbers), hooks.say(other, ...numbers)]);
    }
    await service.settle();
    const hook = await hooks.hook(team);
    const input = {
      endpoint_id: hook.id,
      since,
      until: later(since, 1),
      up_to: await inTenant(service.app, team.tenant, newestPosition),
    };
    await Promise.all([1, 2].map(() => replayMissing.run(service.app, team.tenant, input)));
    await service.settle();
    expect(new Set(receivedNumbers(hook)).size).toBe(1200);
    expect(receivedNumbers(hook)).toHaveLength(1200);
  });

  it('covers only the requested range', async () => {
    const team = await service.team();
    const moments: string[] = [];
    for (const n of [1, 2, 3, 4]) {
      moments.push(now());
      await hooks.say(team, n);
      await service.settle();
      service.clock.move(10 * HOUR);
    }
    const hook = await hooks.hook(team);
    await team.management.post(`${hook.path}/replay-missing`, { since: moments[1], until: moments[3] });
    await service.settle();
    expect(receivedNumbers(hook).toSorted()).toEqual([2, 3]);
    const empty = { since: moments[3], until: moments[1] };
    const refused = await team.management.post(`${hook.path}/replay-missing`, empty);
    expect([refused.status, refused.json.detail]).toMatchObject([422, [{ loc: ['body', 'until'] }]]);
    const toCome = { since: isoTimestamp(later(service.clock.now(), HOUR)) };
    const early = await team.management.post(`${hook.path}/replay-missing`, toCome);
    expect([early.status, early.json.detail]).toMatchObject([422, [{ loc: ['body', 'since'] }]]);
  });
});

describe('the log of events', () => {
  const PLACE = ['query', 'event_type'];

  // prettier-ignore
  it.each([
    ['labtest.order.*',       200, undefined],
    ['labtest.order.created', 200, undefined],
    ['labtest.order.creatd',  422, PLACE],
    ['labtest.oder.*',        422, PLACE],
  ])('filtered by %s responds with %d, because a filter for an unknown type would never match', async (type, status, place) => {
    const { orgId, tenant, management } = await service.team();
    const path = `/v1/org/${orgId}/team/${tenant.teamId}/${tenant.environment}/event`;
    const answer = await management.get(`${path}?event_type=${type}`);
    expect([answer.status, answer.json.detail?.[0].loc]).toEqual([status, place]);
  });
});

describe('a test message', () => {
  const send = (team: TestTeam, path: string, body: object = {}) =>
    team.management.post(`${path}/test`, body);

  it('is signed and marked, goes to one webhook only, and is in the attempts but not in the log', async () => {
    service.clock.move(systemClock.now().getTime() - service.clock.now().getTime());
    const team = await service.team();
    const hook = await hooks.hook(team, { filter_types: ['labtest.result.critical'] });
    const watcher = await hooks.hook(team);
    await hooks.say(team, 1);
    await service.settle();
    const before = await logOf(team);
    const sent = await send(team, hook.path, { event_type: 'labtest.order.created' });
    expect(sent.status, sent.text).toBe(200);
    await service.settle();
    const [got] = hook.receiver.received;
    const { key } = (await team.management.get(`${hook.path}/secret`)).json;
    const headers = Object.fromEntries(Object.entries(got?.headers ?? {}).map(([k, v]) => [k, String(v)]));
    expect(new Webhook(key).verify(got?.text ?? '', headers)).toMatchObject({
      event_type: 'labtest.order.created',
      team_id: team.tenant.teamId,
      client_user_id: 'example',
      data: { id: expect.any(String), events: [expect.any(Object)] },
    });
    expect(headers).toMatchObject({ 'webhook-test': 'true', 'webhook-id': sent.json.message_id });
    expect(await logOf(team)).toEqual(before);
    expect(receivedNumbers(watcher)).toEqual([1]);
    expect(watcher.receiver.received[0]?.headers['webhook-test']).toBeUndefined();
    const attempts = await team.management.get(`${hook.path}/attempt?message_id=${sent.json.message_id}`);
    expect(attempts.json.data).toMatchObject([{ event_type: 'labtest.order.created', status: 'success' }]);
    const one = await team.management.get(`${hook.path}/attempt/${attempts.json.data[0].id}`);
    expect(one.json.request.headers['webhook-test']).toBe('true');
    const metric = await team.management.get(hook.path.replace(/\/webhook\/.*/, '/event_delivery_metric'));
    expect(metric.json.data.result).toHaveLength(1);
  });

  it('defaults to the first type that matches the filter, and is refused for an unknown type', async () => {
    const team = await service.team();
    const hook = await hooks.hook(team, { filter_types: ['endpoint.*'] });
    const bare = await team.management.post(`${hook.path}/test`);
    expect(bare.json.event_type).toBe('endpoint.disabled');
    const refused = await send(team, hook.path, { event_type: 'nothing.at.all' });
    expect([refused.status, refused.json.detail[0].loc]).toEqual([422, ['body', 'event_type']]);
    await service.settle();
    expect(hook.receiver.received).toHaveLength(1);
  });

  it('that fails is retried like any other, but emits no event when exhausted, and is never replayed', async () => {
    const team = await service.team();
    const hook = await hooks.hook(team);
    const watcher = await hooks.hook(team, { filter_types: ['message.*'] });
    hook.receiver.respond = () => ({ status: 500 });
    const since = now();
    await send(team, hook.path);
    await service.settle();
    for (const step of RETRY_DELAYS_MS) await hooks.move(step * 1.1);
    expect(await hooks.statusOf(hook)).toEqual([{ status: 'failed', attempts: 8 }]);
    expect((await team.management.post(`${hook.path}/recover`, { since })).json.recovered).toBe(0);
    await team.management.post(`${watcher.path}/replay-missing`, { since });
    await service.settle();
    expect(watcher.receiver.received).toEqual([]);
    expect((await logOf(team)).data).toEqual([]);
  });
});
