import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { order, physician } from './examples.ts';
import { createOrder, findLabTestId, simulateOrder } from './orders.ts';
import { openOtlpReceiver, type OtlpReceiver, type OtlpSpan } from './otlp.ts';
import { openTestService, type TestService, type TestTeam } from './service.ts';
import { waitUntil } from './webhook-fixture.ts';

let otlp: OtlpReceiver;
let service: TestService;
beforeAll(async () => {
  otlp = await openOtlpReceiver();
  service = await openTestService({ OTEL_EXPORTER_OTLP_ENDPOINT: otlp.url, OTEL_BSP_SCHEDULE_DELAY: '20' });
});
afterAll(async () => {
  await service.close();
  await otlp.close();
});

const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736';
const CALLER = '00f067aa0ba902b7';
const traceparent = `00-${TRACE}-${CALLER}-01`;

/** Places an order with a trace context of the caller, and waits for its webhook. */
async function placeOrder(on: TestService, team: TestTeam, header: string) {
  const body = order(await team.user(), await findLabTestId(team, 'walk_in_test'));
  const answer = await team.post('/v3/order', body, { traceparent: header });
  expect(answer.status, answer.text).toBe(200);
  await on.settle();
  return answer;
}

const spansOf = (trace: string) => otlp.spans.filter(({ traceId }) => traceId === trace);
const attributesOf = ({ attributes }: OtlpSpan) =>
  Object.fromEntries(attributes.map(({ key, value }) => [key, value.stringValue ?? value.intValue]));

async function findSpan(trace: string, name: string): Promise<OtlpSpan> {
  const find = () => spansOf(trace).find((span) => span.name === name);
  await waitUntil(() => find() !== undefined);
  const found = find();
  if (!found) throw new Error(`No span ${name}`);
  return found;
}

describe('traces', () => {
  it('continue the trace of the caller from the request to the webhook', async () => {
    const team = await service.team();
    const endpoint = await team.endpoint();
    const answer = await placeOrder(service, team, traceparent);
    const request = await findSpan(TRACE, 'POST /v3/order');
    expect(request).toMatchObject({ parentSpanId: CALLER, kind: 2 });
    expect(attributesOf(request)).toMatchObject({
      'http.request.method': 'POST',
      'http.route': '/v3/order',
      'http.response.status_code': 200,
      'aliquot.request.id': answer.headers['x-request-id'],
    });
    const delivery = await findSpan(TRACE, 'webhook delivery');
    expect(delivery).toMatchObject({ parentSpanId: request.spanId, kind: 3 });
    expect(attributesOf(delivery)).toMatchObject({
      'aliquot.result': 'delivered',
      'http.response.status_code': 200,
    });
    const sent = endpoint.received.map(({ headers }) => headers['traceparent']);
    expect(sent).toContain(`00-${TRACE}-${delivery.spanId}-01`);
  });

  it('contain the jobs that an event of the request caused', async () => {
    const team = await service.team();
    const id = await createOrder(team, 'walk_in_test', { physician });
    await simulateOrder(team, id, 'completed', { interpretation: 'critical' });
    await service.settle();
    await waitUntil(() => otlp.spans.some(({ name }) => name === 'job critical-results.open-record'));
    const [job] = otlp.spans.filter(({ name }) => name === 'job critical-results.open-record');
    expect(job).toMatchObject({ kind: 5 });
    expect(job && attributesOf(job)).toEqual({ 'aliquot.job.name': 'critical-results.open-record' });
  });

  it('have the SQL statements of a request below it, by name and without values', async () => {
    const team = await service.team();
    const trace = '22222222222222222222222222222222';
    await placeOrder(service, team, `00-${trace}-${CALLER}-01`);
    const request = await findSpan(trace, 'POST /v3/order');
    const committed = await findSpan(trace, 'COMMIT');
    const inserted = await findSpan(trace, 'INSERT lab_order');
    for (const span of [committed, inserted])
      expect(span).toMatchObject({ parentSpanId: request.spanId, kind: 3 });
    expect(attributesOf(inserted)).toEqual({
      'db.system.name': 'postgresql',
      'db.query.summary': 'INSERT lab_order',
    });
    const keys = spansOf(trace).flatMap(({ attributes }) => attributes.map(({ key }) => key));
    expect(keys).not.toContain('db.query.text');
  });

  it('have no span of the statements and of the requests that no request and no job causes', async () => {
    await service.settle();
    // A webhook has its span of delivery, and no second one of its HTTP request.
    expect(otlp.spans.map(({ name }) => name)).not.toContain('POST');
    const roots = otlp.spans.filter(({ parentSpanId }) => !parentSpanId).map(({ name }) => name);
    expect(roots.filter((name) => !/^(job |GET \/|POST \/|PATCH \/|webhook delivery)/.test(name))).toEqual(
      [],
    );
  });

  it('begin a trace of their own without a valid traceparent', async () => {
    const team = await service.team();
    const before = otlp.spans.length;
    await team.get('/v2/user', { traceparent: '00-00000000000000000000000000000000-00f067aa0ba902b7-01' });
    await waitUntil(() => otlp.spans.slice(before).some(({ name }) => name === 'GET /v2/user'));
    const read = otlp.spans.slice(before).find(({ name }) => name === 'GET /v2/user');
    expect(read?.traceId).not.toBe('0'.repeat(32));
    expect(read?.parentSpanId).toBeUndefined();
  });

  it('record nothing of a request whose caller decided so, and still pass its trace on', async () => {
    const team = await service.team();
    const endpoint = await team.endpoint();
    const trace = '11111111111111111111111111111111';
    await placeOrder(service, team, `00-${trace}-${CALLER}-00`);
    expect(endpoint.received[0]?.headers['traceparent']).toMatch(new RegExp(`^00-${trace}-[0-9a-f]{16}-00$`));
    expect(spansOf(trace)).toEqual([]);
  });
});

describe('a service without traces', () => {
  it('adds no header to webhooks and stores no trace', async () => {
    const plain = await openTestService();
    try {
      const team = await plain.team();
      const endpoint = await team.endpoint();
      await placeOrder(plain, team, traceparent);
      expect(endpoint.received[0]?.headers).not.toHaveProperty('traceparent');
      const { rows } = await plain.ownerPool.query(
        'select count(*) from event where traceparent is not null',
      );
      expect(rows).toEqual([{ count: 0 }]);
    } finally {
      await plain.close();
    }
  });
});

describe('a collector that does not answer', () => {
  it('keeps the service from neither answering nor ending', async () => {
    const silent = createServer(() => {});
    await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve));
    const { port } = silent.address() as AddressInfo;
    const lost = await openTestService({ OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${port}` });
    const team = await lost.team();
    expect((await team.get('/v2/user', { traceparent })).status).toBe(200);
    // Ends although no export does.
    await lost.close();
    silent.closeAllConnections();
    await new Promise((resolve) => silent.close(resolve));
  });
});
