import { randomUUID } from 'node:crypto';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { afterAll, describe, expect, inject, it } from 'vitest';
import { seedCatalog } from '../src/ordering/catalog/catalog.ts';
import { bootstrap } from '../src/identity/management/management.ts';
import { readConfig } from '../src/platform/config.ts';
import { openLog } from '../src/platform/log.ts';
import { openApp, startService, type Service } from '../src/service.ts';
import { withDatabase } from './database.ts';
import { openReceiver } from './receiver.ts';

const log = openLog('silent');
const root = new URL('../', import.meta.url);

/** The storage that nodes share: a database and a folder. */
interface NodeStorage {
  readonly folder: string;
  readonly url: string;
}

const folders: string[] = [];
afterAll(() => Promise.all(folders.map((folder) => rm(folder, { recursive: true, force: true }))));

/** Creates storage with an empty database, or with a copy of the migrated and seeded template. */
async function createNodeStorage(of: 'nothing' | 'template'): Promise<NodeStorage> {
  const { connection, template, strategy } = inject('server');
  const database = `aliquot_test_${process.pid}_nodes_${randomUUID().slice(0, 8)}`;
  const copied = of === 'template' ? ` template ${template} strategy ${strategy}` : '';
  const admin = new pg.Client(connection);
  await admin.connect();
  await admin.query(`create database ${database}${copied}`);
  await admin.end();
  const folder = await mkdtemp(join(tmpdir(), 'aliquot-nodes-'));
  folders.push(folder);
  return { folder, url: urlOf(withDatabase(connection, database)) };
}

/** The test server as a DATABASE_URL; a socket folder goes into the query. */
function urlOf(connection: pg.PoolConfig): string {
  if (connection.connectionString !== undefined) return connection.connectionString;
  const { user, database: name, host, port } = connection;
  return `postgres://${user}@localhost:${port ?? 5432}/${name}?host=${encodeURIComponent(host ?? '')}`;
}

const openNode = ({ folder, url }: NodeStorage, role: 'api' | 'worker') =>
  openApp({
    config: readConfig({
      DATABASE_URL: url,
      DATA_DIR: folder,
      ROLE: role,
      PORT: '0',
      DATABASE_POOL: '5',
      DATABASE_DRIVER: inject('server').driver,
      LOG_LEVEL: 'silent',
    }),
    log,
    root,
  });

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
    expect((await call('/v3/order/testkit', team, order)).status).toBe(200);
    await expect.poll(() => receiver.received.length).toBe(1);
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
