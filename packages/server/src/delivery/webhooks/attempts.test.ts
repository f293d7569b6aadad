import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, it } from 'vitest';
import { useWebhookFixture, type TestEndpoint } from '../../../test/webhook-fixture.ts';
import type { TestTeam } from '../../../test/service.ts';
import { useTestService } from '../../../test/service-hooks.ts';
import { DAY, HOUR, isoTimestamp, later, MINUTE } from '../../platform/clock.ts';
import { removeAttempts } from '../../../test/old-attempts.ts';
import { MASK } from './headers.ts';

const service = useTestService();
const hooks = useWebhookFixture(service);

interface AttemptJson {
  id: string;
  message_id: string;
  status: string;
  at: string;
}
const attemptsOf = async (team: TestTeam, { path }: TestEndpoint, query = ''): Promise<AttemptJson[]> => {
  const answer = await team.management.get(`${path}/attempt${query}`);
  expect(answer.status, answer.text).toBe(200);
  return answer.json.data;
};

describe('an attempt', () => {
  it('is read with its request and response, without their secrets', async () => {
    const team = await service.team();
    const hook = await hooks.hook(team);
    await team.management.put(`${hook.path}/headers`, {
      headers: { Authorization: 'Bearer me', 'X-Plain': 'p' },
    });
    hook.receiver.respond = () => ({
      status: 200,
      headers: { 'set-cookie': 'session=1', 'x-api-token': 'mine', 'x-served-by': 'a1' },
    });
    await hooks.say(team, 7);
    await service.settle();
    const [listed] = await attemptsOf(team, hook);
    const { json } = await team.management.get(`${hook.path}/attempt/${listed?.id}`);
    const [got] = hook.receiver.received;
    expect(json).toMatchObject({
      ...listed,
      status: 'success',
      status_code: 200,
      error: null,
      response: 'ok',
    });
    expect(json.request.url).toBe(hook.receiver.url);
    expect(json.request.body).toBe(got?.text);
    expect(json.request.headers).toEqual({
      authorization: MASK,
      'x-plain': MASK,
      'content-type': 'application/json',
      'user-agent': got?.headers['user-agent'],
      ...Object.fromEntries(
        ['webhook', 'svix'].flatMap((family) =>
          ['id', 'timestamp', 'signature'].map((part) => [
            `${family}-${part}`,
            got?.headers[`${family}-${part}`],
          ]),
        ),
      ),
    });
    expect(json.response_headers).toMatchObject({
      'set-cookie': MASK,
      'x-api-token': MASK,
      'x-served-by': 'a1',
    });
    const { rows } = await service.ownerPool.query('select * from webhook_attempt where endpoint_id = $1', [
      hook.id,
    ]);
    expect(rows.map(({ response }) => response)).toEqual([null]);
    expect(rows.map(({ exchange }) => exchange.toString('latin1')).join()).not.toMatch(
      /Bearer|session|webhook-id|happened|127\.0\.0\.1/,
    );
  });

  it('of an earlier version is read with its response from a separate column', async () => {
    const team = await service.team();
    const hook = await hooks.hook(team);
    await hooks.say(team, 1);
    await service.settle();
    const cipher = await service.app.keyring.cipherOf(team.tenant);
    await service.ownerPool.query(
      'update webhook_attempt set response = $2, exchange = null where endpoint_id = $1',
      [hook.id, cipher.seal('as before', 'webhook_attempt.response')],
    );
    const [listed] = await attemptsOf(team, hook);
    expect(listed).toMatchObject({ status: 'success', response: 'as before' });
    const { json } = await team.management.get(`${hook.path}/attempt/${listed?.id}`);
    expect(json).toMatchObject({ response: 'as before', request: null, response_headers: {} });
  });

  it('shows at most 16 KiB of either body', async () => {
    const team = await service.team();
    const server = createServer((request, response) => {
      request.resume();
      response.writeHead(500).end('ä'.repeat(20_000));
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    const hook = await hooks.hook(team, { url: `http://127.0.0.1:${port}/` });
    await hooks.say(team, 1);
    await service.settle();
    const [listed] = await attemptsOf(team, hook);
    const { json } = await team.management.get(`${hook.path}/attempt/${listed?.id}`);
    expect(Buffer.byteLength(json.response)).toBeLessThanOrEqual(16 * 1024 + 3);
    expect(json.response).toMatch(/^ä{8000}/);
    server.closeAllConnections();
    server.close();
  });

  it('that could not be sent has an error, and no request', async () => {
    const team = await service.team();
    const hook = await hooks.hook(team);
    await service.ownerPool.query(
      `update webhook_endpoint set secrets = '\\x00', revision = revision + 1 where id = $1`,
      [hook.id],
    );
    await hooks.say(team, 1);
    await service.settle();
    const [listed] = await attemptsOf(team, hook);
    const { json } = await team.management.get(`${hook.path}/attempt/${listed?.id}`);
    expect(json).toMatchObject({
      error: 'The message cannot be written',
      request: null,
      response_headers: {},
    });
  });

  it('is found by message, by outcome and by time', async () => {
    const team = await service.team();
    const hook = await hooks.hook(team);
    hook.receiver.respond = ({ body }) => ({ status: body.data['n'] === 2 ? 500 : 200 });
    const start = service.clock.now();
    for (const n of [1, 2, 3]) {
      await hooks.say(team, n);
      await service.settle();
      service.clock.move(1000);
    }
    const all = await attemptsOf(team, hook);
    const [third, second, first] = all;
    const ids = async (query: string) => (await attemptsOf(team, hook, query)).map(({ id }) => id);
    const moment = (ms: number) => encodeURIComponent(isoTimestamp(later(start, ms)));
    expect(await ids('?status=failure')).toEqual([second?.id]);
    expect(await ids('?status=success')).toEqual([third?.id, first?.id]);
    expect(await ids(`?message_id=${first?.message_id}`)).toEqual([first?.id]);
    expect(await ids(`?message_id=${first?.message_id}&status=failure`)).toEqual([]);
    expect(await ids('?message_id=nothing')).toEqual([]);
    expect(await ids(`?since=${moment(1000)}`)).toEqual([third?.id, second?.id]);
    expect(await ids(`?until=${moment(1000)}`)).toEqual([first?.id]);
    expect(await ids(`?since=${moment(1000)}&until=${moment(2000)}`)).toEqual([second?.id]);
    for (const bad of ['?status=maybe', '?since=yesterday', '?limit=251']) {
      expect((await team.management.get(`${hook.path}/attempt${bad}`)).status, bad).toBe(422);
    }
    expect((await team.management.get(`${hook.path}/attempt/nothing`)).status).toBe(404);
    const other = await hooks.hook(team);
    expect((await team.management.get(`${other.path}/attempt/${first?.id}`)).status).toBe(404);
  });
});

describe('the delivery metric', () => {
  interface Series {
    metric: Record<string, string>;
    values: [number, string][];
  }
  const metricOf = async (team: TestTeam, { path }: TestEndpoint, interval?: string): Promise<Series[]> => {
    const base = path.replace(/\/webhook\/.*/, '/event_delivery_metric');
    const { json, status, text } = await team.management.get(
      interval ? `${base}?interval=${interval}` : base,
    );
    expect(status, text).toBe(200);
    expect(json).toMatchObject({ status: 'success', data: { resultType: 'matrix' } });
    return json.data.result;
  };
  const sum = ({ values }: Series) => values.reduce((total, [, count]) => total + Number(count), 0);

  it('counts attempts by type, endpoint and outcome, in steps of the clock', async () => {
    const team = await service.team();
    const good = await hooks.hook(team);
    const bad = await hooks.hook(team);
    bad.receiver.respond = () => ({ status: 500 });
    await hooks.say(team, 1, 2, 3);
    await service.settle();
    await hooks.move(6 * MINUTE);
    const types = { event_type: 'test.something.happened' };
    for (const interval of ['5m', '15m', '1h', '1d', undefined]) {
      const result = await metricOf(team, good, interval);
      expect(result.map((series) => ({ ...series.metric, count: sum(series) }))).toEqual(
        [
          { ...types, endpoint_id: good.id, outcome: 'success', count: 3 },
          { ...types, endpoint_id: bad.id, outcome: 'failure', count: 6 },
        ].toSorted((a, b) => (a.endpoint_id < b.endpoint_id ? -1 : 1)),
      );
    }
  });

  // prettier-ignore
  const windows = [
    { interval: '5m',  stepSeconds: 300,    points: 289 },
    { interval: '15m', stepSeconds: 900,    points: 289 },
    { interval: '1h',  stepSeconds: 3600,   points: 169 },
    { interval: '1d',  stepSeconds: 86_400, points: 30 },
  ];
  it.each(windows)(
    'has $points steps of $interval, the empty ones 0',
    async ({ interval, stepSeconds, points }) => {
      const team = await service.team();
      const hook = await hooks.hook(team);
      await hooks.say(team, 1);
      await service.settle();
      const [series] = await metricOf(team, hook, interval);
      const times = series?.values.map(([at]) => at) ?? [];
      expect(times).toHaveLength(points);
      for (const [index, at] of times.entries()) {
        expect(at % stepSeconds).toBe(0);
        expect(at).toBe((times[0] ?? 0) + index * stepSeconds);
      }
      expect(series?.values.at(-1)?.[1]).toBe('1');
      expect((times.at(-1) ?? 0) * 1000).toBeGreaterThan(service.clock.now().getTime() - stepSeconds * 1000);
      service.clock.move(5 * HOUR);
      expect((await metricOf(team, hook, interval)).length).toBe(1);
    },
  );

  it('ends with the window, excludes other teams, and refuses other steps', async () => {
    const team = await service.team();
    const hook = await hooks.hook(team);
    await hooks.say(team, 1);
    await service.settle();
    const stranger = await service.team();
    const strange = await hooks.hook(stranger);
    expect(await metricOf(stranger, strange, '1d')).toEqual([]);
    service.clock.move(31 * DAY);
    expect(await metricOf(team, hook, '1d')).toEqual([]);
    const base = hook.path.replace(/\/webhook\/.*/, '/event_delivery_metric');
    expect((await team.management.get(`${base}?interval=2m`)).status).toBe(422);
    expect((await stranger.management.get(base)).status).toBe(404);
    const count = 'select count(*)::int as n from webhook_tally where team_id = $1';
    expect((await service.ownerPool.query(count, [team.tenant.teamId])).rows).toEqual([{ n: 1 }]);
    await removeAttempts(service, team, service.clock.now());
    expect((await service.ownerPool.query(count, [team.tenant.teamId])).rows).toEqual([{ n: 0 }]);
  });
});
