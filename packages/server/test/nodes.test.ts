import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { seedCatalog } from '../src/ordering/catalog/catalog.ts';
import { bootstrap } from '../src/identity/management/management.ts';
import { startService, type Service } from '../src/service.ts';
import { createNodeStorage, openNode } from './nodes.ts';
import { openEventSource } from './event-source.ts';
import { openReceiver } from './receiver.ts';

/** The tests migrate an empty database and start several whole services. */
const TIMEOUT = { timeout: 60_000 };

describe('several nodes on one new database', TIMEOUT, () => {
  it('migrate it, seed it and create its first team once', async () => {
    const place = await createNodeStorage('nothing');
    const roles = ['api', 'worker', 'worker'] as const;
    const nodes = await Promise.all(roles.map((role) => openNode(place, role)));
    await Promise.all(nodes.map(({ app }) => seedCatalog(app)));
    const made = await Promise.all(nodes.map(({ app }) => bootstrap(app)));
    expect(made.filter((credentials) => credentials !== undefined)).toHaveLength(1);
    const kept = JSON.parse(await readFile(join(place.folder, 'credentials.json'), 'utf8'));
    expect(kept).toEqual(made.find(Boolean));
    const [first] = nodes;
    const teams = await first?.pools.ownerPool.query('select count(*)::int as n from team');
    expect(teams?.rows).toEqual([{ n: 1 }]);
    await Promise.all(nodes.map((opened) => opened.close()));
  });

  it('share the work: the API node accepts requests, the worker node sends webhooks', async () => {
    const place = await createNodeStorage('template');
    const services: Service[] = [];
    for (const role of ['api', 'worker'] as const)
      services.push(await startService(await openNode(place, role)));
    const credentials = services[0] && (await bootstrap(services[0].app));
    if (!credentials) throw new Error('The first team exists already');
    const receiver = await openReceiver();
    const [api] = services;
    const call = (path: string, headers: Record<string, string>, body: unknown) =>
      fetch(`${api?.url}${path}`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...headers },
        body: JSON.stringify(body),
      }).then(async (response) => ({ status: response.status, json: JSON.parse(await response.text()) }));
    const team = { 'x-service-api-key': credentials.team_api_key };
    const hook = `/v1/org/${credentials.org_id}/team/${credentials.team_id}/sandbox/webhook`;
    await call(hook, { 'x-management-key': credentials.management_key }, { url: receiver.url });
    const user = await call('/v2/user', team, { client_user_id: 'split' });
    const tests = await fetch(`${api?.url}/v3/lab_tests?collection_method=testkit`, { headers: team });
    const [kit] = (await tests.json()) as { id: string }[];
    const { shipping } = await import('./examples.ts');
    const order = { user_id: user.json.user_id, lab_test_id: kit?.id, shipping_details: shipping };
    const stream = await openEventSource(`${api?.url}/v1/events/stream`, team);
    expect((await call('/v3/order/testkit', team, order)).status).toBe(200);
    await expect.poll(() => receiver.received.length).toBe(1);
    // The worker places the events, and the API node streams them.
    await expect
      .poll(() => stream.messages.map(({ data }) => Object(data).event_type))
      .toEqual(['labtest.order.created']);
    const [, worker] = services;
    expect((await fetch(`${worker?.url}/readyz`)).status).toBe(200);
    expect((await fetch(`${worker?.url}/v2/user`, { headers: team })).status).toBe(404);
    expect(receiver.received[0]?.body).toMatchObject({
      event_type: 'labtest.order.created',
      client_user_id: 'split',
    });
    await receiver.close();
    await Promise.all(services.map((service) => service.close()));
    await stream.ended;
  });

  it('serve probes and metrics on PROBE_PORT, without a key and nothing else', async () => {
    const place = await createNodeStorage('template');
    const worker = await startService(await openNode(place, 'worker', { PROBE_PORT: '0' }));
    const get = (path: string) => fetch(`${worker.probeUrl}${path}`);
    try {
      expect(worker.probeUrl).not.toBe(worker.url);
      expect((await get('/healthz')).status).toBe(200);
      expect((await get('/readyz')).status).toBe(200);
      const metrics = await get('/metrics');
      expect(metrics.status).toBe(200);
      expect(await metrics.text()).toMatch(/^aliquot_timer_overdue \d+$/m);
      expect((await get('/v2/user')).status).toBe(404);
      // Without a token, the main port has no metrics.
      expect((await fetch(`${worker.url}/metrics`)).status).toBe(404);
    } finally {
      await worker.close();
    }
    await expect(get('/healthz')).rejects.toThrow();
  });
});
