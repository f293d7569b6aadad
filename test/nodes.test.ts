import { randomUUID } from 'node:crypto';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { seedCatalog } from '../src/lab-testing/catalog/catalog.ts';
import { bootstrap } from '../src/management/management.ts';
import { readConfig } from '../src/platform/config.ts';
import { openLog } from '../src/platform/log.ts';
import { openApp, startService, type Service } from '../src/service.ts';
import { inDatabase } from './database.ts';
import { openReceiver } from './receiver.ts';

const database = `aliquot_test_${process.pid}_nodes_${randomUUID().slice(0, 8)}`;
const log = openLog('silent');
const root = new URL('../', import.meta.url);
let folder: string;
let url: string;

beforeAll(async () => {
  const { connection } = inject('server');
  const admin = new pg.Client(connection);
  await admin.connect();
  await admin.query(`create database ${database}`);
  await admin.end();
  folder = await mkdtemp(join(tmpdir(), 'aliquot-nodes-'));
  url = urlOf(inDatabase(connection, database));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

/** The server of the tests as DATABASE_URL would name it; a socket folder goes into the query. */
function urlOf(connection: pg.PoolConfig): string {
  if (connection.connectionString !== undefined) return connection.connectionString;
  const { user, database: name, host, port } = connection;
  return `postgres://${user}@localhost:${port ?? 5432}/${name}?host=${encodeURIComponent(host ?? '')}`;
}

const node = (role: 'api' | 'worker') =>
  openApp({
    config: readConfig({
      DATABASE_URL: url,
      DATA_DIR: folder,
      ROLE: role,
      PORT: '0',
      DATABASE_POOL: '5',
      LOG_LEVEL: 'silent',
    }),
    log,
    root,
  });

describe('several nodes on one new database', () => {
  it('migrate it, fill it and make its first team once', async () => {
    const nodes = await Promise.all([node('api'), node('api'), node('worker'), node('worker')]);
    await Promise.all(nodes.map(({ app }) => seedCatalog(app)));
    const made = await Promise.all(nodes.map(({ app }) => bootstrap(app)));
    expect(made.filter((credentials) => credentials !== undefined)).toHaveLength(1);
    expect(JSON.parse(await readFile(join(folder, 'credentials.json'), 'utf8'))).toEqual(made.find(Boolean));
    const { rows } = await nodes[0].pools.ownerPool.query('select count(*)::int as n from team');
    expect(rows).toEqual([{ n: 1 }]);
    await Promise.all(nodes.map((opened) => opened.close()));
  });

  it('share the work: what the API takes, the worker sends', async () => {
    const credentials = JSON.parse(await readFile(join(folder, 'credentials.json'), 'utf8'));
    const services: Service[] = [];
    for (const role of ['api', 'worker'] as const) services.push(await startService(await node(role)));
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
    expect((await call('/v3/order/testkit', team, order)).status).toBe(200);
    await expect.poll(() => receiver.received.length, { timeout: 5000 }).toBe(1);
    const [, worker] = services;
    expect((await fetch(`${worker?.url}/readyz`)).status).toBe(200);
    expect((await fetch(`${worker?.url}/v2/user`, { headers: team })).status).toBe(404);
    expect(receiver.received[0]?.body).toMatchObject({
      event_type: 'labtest.order.created',
      client_user_id: 'split',
    });
    await receiver.close();
    await Promise.all(services.map((service) => service.close()));
  });
});
