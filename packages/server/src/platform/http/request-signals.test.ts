import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createOrder } from '../../../test/orders.ts';

import { openTestService, type TestService } from '../../../test/service.ts';

const METRICS_TOKEN = 'a-token-of-the-operator';
let service: TestService;
let lines: string[];
beforeAll(async () => {
  lines = [];
  service = await openTestService({ METRICS_TOKEN }, { write: (line) => void lines.push(line) });
});
afterAll(() => service.close());

const requestLines = () =>
  lines.map((line) => JSON.parse(line)).filter((line: { msg: string }) => line.msg === 'request');

const metrics = (headers = {}) => service.client({}).get('/metrics', headers);

describe('the request log', () => {
  it('has one line a request: route, status, duration and ids, and no value of the request', async () => {
    const team = await service.team();
    const orderId = await createOrder(team);
    lines.length = 0;
    const traceparent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';
    const read = await team.get(`/v3/order/${orderId}?note=secret`, { traceparent, 'x-request-id': 'one' });
    expect(read.status).toBe(200);
    expect(requestLines()).toEqual([
      {
        level: 'info',
        time: expect.any(Number),
        method: 'GET',
        route: '/v3/order/:order_id',
        status: 200,
        duration_ms: expect.any(Number),
        request_id: 'one',
        key_id: expect.stringMatching(/^[0-9a-f-]{36}$/),
        trace_id: '0af7651916cd43dd8448eb211c80319c',
        msg: 'request',
      },
    ]);
    expect(lines.join('')).not.toContain(orderId);
    expect(lines.join('')).not.toContain('secret');
  });

  it('names the key of a management request, and neither key nor path for a request without a route', async () => {
    const team = await service.team();
    lines.length = 0;
    await team.management.get(`/v1/org/${team.orgId}/team/${team.tenant.teamId}`);
    await service.client({}).get('/Ada/Lovelace');
    await service.client({}).get('/v2/user');
    expect(requestLines()).toMatchObject([
      { route: '/v1/org/:org_id/team/:team_id', status: 200, key_id: expect.any(String) },
      { status: 404, method: 'GET' },
      { status: 401, route: '/v2/user' },
    ]);
    expect(requestLines()[1]).not.toHaveProperty('route');
    expect(requestLines()[2]).not.toHaveProperty('key_id');
    expect(lines.join('')).not.toContain('Ada');
  });

  it('has no line for probes', async () => {
    lines.length = 0;
    await service.client({}).get('/healthz');
    await service.client({}).get('/readyz');
    expect(requestLines()).toEqual([]);
  });

  it('can be turned off', async () => {
    const quiet: string[] = [];
    const other = await openTestService(
      { LOG_REQUESTS: 'false' },
      { write: (line) => void quiet.push(line) },
    );
    try {
      await other.team();
      await other.client({}).get('/v2/user');
      expect(quiet.join('')).not.toContain('"msg":"request"');
    } finally {
      await other.close();
    }
  });
});

describe('/metrics', () => {
  it('needs the token on the main port', async () => {
    expect((await metrics()).status).toBe(401);
    expect((await metrics({ authorization: 'Bearer another' })).status).toBe(401);
    const served = await metrics({ authorization: `Bearer ${METRICS_TOKEN}` });
    expect(served.status).toBe(200);
    expect(served.headers['content-type']).toBe('text/plain; version=0.0.4; charset=utf-8');
    expect(served.text).toContain('\n# TYPE aliquot_critical_result_overdue gauge\n');
  });

  it('counts requests by method, route and status', async () => {
    const team = await service.team();
    await createOrder(team);
    await team.get('/v3/order/00000000-0000-4000-8000-000000000000');
    const { text } = await metrics({ authorization: `Bearer ${METRICS_TOKEN}` });
    const labels =
      'http_request_method="GET",http_response_status_code="404",http_route="/v3/order/:order_id"';
    expect(text).toContain(`http_server_request_duration_seconds_count{${labels}} 1\n`);
    expect(text).toMatch(
      /request_duration_seconds_bucket\{http_request_method="POST",[^}]*route="\/v3\/order",le="10"\} /,
    );
  });

  it('counts lookups in caches by name and result', async () => {
    const team = await service.team();
    await createOrder(team);
    await createOrder(team);
    const { text } = await metrics({ authorization: `Bearer ${METRICS_TOKEN}` });
    for (const name of ['api_key', 'lab_test', 'data_key', 'clock_offset']) {
      const labels = `aliquot_cache_name="${name}",aliquot_result="hit"`;
      expect(text).toMatch(new RegExp(`^aliquot_cache_lookup_total\\{${labels}\\} [1-9]`, 'm'));
    }
  });

  it('is not served without a token', async () => {
    const other = await openTestService();
    try {
      expect((await other.client({}).get('/metrics')).status).toBe(404);
    } finally {
      await other.close();
    }
  });
});
