import { copyFile, mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, inject, it, vi } from 'vitest';
import { withDatabase } from '../../../test/database.ts';
import { patient, shipping } from '../../../test/examples.ts';
import { readTenant, type App } from '../../app.ts';
import { buildApp } from '../../compose.ts';
import { systemClock } from '../../platform/clock.ts';
import { readConfig } from '../../platform/config.ts';
import { initialDataKeys, tenantCipher, type TenantCipher } from '../../platform/crypto/cipher.ts';
import { wrapKeys } from '../../platform/crypto/key-store.ts';
import { createLocalKeyProvider } from '../../platform/crypto/local-key-provider.ts';
import { openKeyring } from '../../platform/crypto/keyring.ts';
import { migrate } from '../../platform/db/migrate.ts';
import { openPools, type Pools } from '../../platform/db/open.ts';
import { schemaReleaseOf } from '../../platform/db/schema-version.ts';
import { sweepStatistics } from '../../platform/db/sweep.ts';
import { newId } from '../../platform/ids.ts';
import { createNotifier } from '../../platform/jobs/notifier.ts';
import { startSweeping } from '../../platform/jobs/statistics-sweep.ts';
import { silentTelemetry } from '../../platform/telemetry/telemetry.ts';
import { openLog } from '../../platform/log.ts';
import { type Tenant, toTenantKey } from '../../platform/tenant.ts';
import { OrderFilters } from './commands.ts';
import { indexNames } from './index-names.ts';
import { unknownPatient } from './insert-order.ts';
import { listOrders } from './list-orders.ts';
import { ORDER_SEAL_CONTEXT } from './read-store.ts';

const RELEASE = schemaReleaseOf(new URL('../../../', import.meta.url));
const { migrations: MIGRATIONS } = RELEASE;
/** The last form of the database in which names stood in clear. */
const IN_CLEAR = '0042';
const ORDERS = 250;
const MASTER = Buffer.alloc(32, 7);

const tenant: Tenant = { teamId: newId(), environment: 'sandbox' };
const database = `aliquot_test_${process.pid}_names_in_clear`;
const { connection, driver } = inject('server');
let folder: string;
let pools: Pools;
let app: App;
let cipher: TenantCipher;
/** In how many files a name could be read before. */
let readableBefore: number;
/** Whether they were swept out while somebody could still look back. */
let sweptAtOnce: boolean;

/** A database as an older version left it, with orders whose names anybody can read, and then as this version finds it. */
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'aliquot-migrations-'));
  for (const file of await readdir(MIGRATIONS)) {
    if (file.slice(0, 4) <= IN_CLEAR) await copyFile(new URL(file, MIGRATIONS), join(folder, file));
  }
  await asAdmin(`create database ${database}`);
  const log = openLog('silent');
  pools = openPools(withDatabase(connection, database), { size: 4, driver }, log);
  await migrate(pools.ownerPool, { ...RELEASE, migrations: pathToFileURL(`${folder}/`) }, log);
  await writeInClear(pools.ownerPool);
  // As the server does by itself in any database that is older than a minute: some of the names are in its statistics.
  await pools.ownerPool.query('analyze');
  readableBefore = await countInFiles('rarely');
  // Somebody sees the database as it was, as the server itself does while it analyses a table.
  const other = new pg.Client(withDatabase(connection, database));
  await other.connect();
  await other.query('begin isolation level repeatable read; select 1 from pg_class');
  await migrate(pools.ownerPool, RELEASE, log);
  sweptAtOnce = await sweepStatistics(pools.ownerPool);
  await other.query('rollback');
  await other.end();
  const sweeping = startSweeping({ notifier: createNotifier(), log }, pools.ownerPool);
  // A second try comes half a minute after the first, which the server hinders where it looks at a table just then.
  await vi.waitUntil(async () => !(await isDue()), { timeout: 90_000 });
  await sweeping.stop();
  const keyring = openKeyring(pools.db, MASTER.toString('base64'));
  const config = readConfig({ DATA_DIR: folder, LOG_LEVEL: 'silent' });
  const platform = { config, log, clock: systemClock, keyring, db: pools.db, notifier: createNotifier() };
  app = buildApp({ ...platform, telemetry: silentTelemetry }, new URL('../../../', import.meta.url));
  // As long as the sweeping may take, and the rest beside it.
}, 120_000);
afterAll(async () => {
  await pools.close();
  await asAdmin(`drop database ${database} with (force)`);
  await rm(folder, { recursive: true });
});

const isDue = async (): Promise<boolean> =>
  (await pools.ownerPool.query(`select to_regclass('public.statistics_sweep') is not null as due`)).rows[0]
    .due;

async function asAdmin(statement: string): Promise<void> {
  const client = new pg.Client(connection);
  await client.connect();
  await client.query(statement).finally(() => client.end());
}

/** The rows that a service of that version wrote; every tenth patient is Quirina Rarely, of one user who is leaving. */
async function writeInClear(owner: pg.Pool): Promise<void> {
  const dataKey = Buffer.alloc(32, 3);
  cipher = tenantCipher(initialDataKeys(dataKey), toTenantKey(tenant));
  const { teamId, environment } = tenant;
  const [orgId, userId] = [newId(), newId()];
  const wrapped = await wrapKeys(
    createLocalKeyProvider({ key: MASTER.toString('base64') }),
    { team_id: teamId, environment, generation: 1 },
    { dataKey, indexKey: null },
  );
  await owner.query(`insert into organization (id, name, created_at) values ($1, 'An organization', now())`, [
    orgId,
  ]);
  await owner.query(
    `insert into team (id, org_id, name, region, created_at) values ($1, $2, 'A team', 'us', now())`,
    [teamId, orgId],
  );
  for (const [table, columns, values] of [
    ['team_environment', 'created_at', [systemClock.now()]],
    ['tenant_key', 'wrapped_key, wrapped_by', [wrapped.wrapped_key, 'nobody']],
    ['app_user', 'id, client_user_id, created_at', [userId, 'somebody', systemClock.now()]],
  ] as const) {
    const places = values.map((_, at) => `$${at + 3}`).join(', ');
    await owner.query(`insert into ${table} (team_id, environment, ${columns}) values ($1, $2, ${places})`, [
      teamId,
      environment,
      ...values,
    ]);
  }
  for (let n = 0; n < ORDERS; n += 1) await writeOrder(owner, { n, userId });
}

async function writeOrder(owner: pg.Pool, { n, userId }: { n: number; userId: string }): Promise<void> {
  const [id, transactionId] = [newId(), newId()];
  const lastName = n % 10 === 0 ? 'Rarely' : `Often${n}`;
  const people = {
    ...unknownPatient,
    patient: n % 25 === 1 ? null : { ...patient, first_name: 'Quirina', last_name: lastName },
    shipping: n % 2 === 0 ? { ...shipping, receiver_name: 'Xavier Seldom' } : null,
  };
  // One does not open; nobody finds it by name, and the others are found all the same.
  const sealed = n === 99 ? Buffer.of(0) : cipher.seal(JSON.stringify(people), ORDER_SEAL_CONTEXT);
  const mine = [tenant.teamId, tenant.environment];
  await owner.query(
    'insert into order_transaction (team_id, environment, id, user_id, created_at) values ($1, $2, $3, $4, now())',
    [...mine, transactionId, userId],
  );
  await owner.query(
    `insert into lab_order (team_id, environment, id, transaction_id, user_id, origin, modality, step, leg, registrable,
       lab_id, lab_slug, lab_test_id, lab_test, private, patient_name, recipient_name, priority, billing_type,
       created_at, updated_at)
     values ($1, $2, $3, $4, $5, 'initial', 'testkit', 'ordered', 'stock', false, 1, 'lab', gen_random_uuid(), '{}', $6,
       $7, $8, false, 'client_bill', now(), now())`,
    [
      ...mine,
      id,
      transactionId,
      userId,
      sealed,
      people.patient && `Quirina ${lastName}`,
      people.shipping?.receiver_name,
    ],
  );
  await owner.query(
    `insert into lab_order_event (team_id, environment, order_id, step, created_at) values ($1, $2, $3, 'ordered', now())`,
    [...mine, id],
  );
}

/** In how many files of tables and indexes a word can be read. */
async function countInFiles(word: string): Promise<number> {
  await pools.ownerPool.query('checkpoint');
  const { rows } = await pools.ownerPool.query<{ count: number }>(
    `select count(*)::int as count from pg_class c
     where c.relkind in ('r', 'i', 't') and pg_relation_filepath(c.oid) is not null
       and position(convert_to($1, 'UTF8') in pg_read_binary_file(pg_relation_filepath(c.oid), 0, 100000000, true)) > 0`,
    [word],
  );
  return rows[0]?.count ?? 0;
}

const list = (query: object) =>
  readTenant(app, tenant, (work) => listOrders(work, OrderFilters.parse({ size: 1, ...query })));
const total = async (query: object): Promise<number | null> => (await list(query)).total;

describe('a database with unencrypted names', () => {
  it('contains none after the migration, not even in its files', async () => {
    expect(readableBefore).toBeGreaterThan(1);
    expect(sweptAtOnce).toBe(false);
    for (const word of ['Rarely', 'rarely', 'Often7', 'Seldom']) expect(await countInFiles(word)).toBe(0);
    expect(await total({})).toBe(ORDERS);
  });

  // One test: what is indexed is not taken back, so no other could begin before it.
  it('is indexed by concurrent workers, finds indexed orders by name, and then sorts by name', async () => {
    expect(await total({ patient_name: 'rarely' })).toBe(0);
    expect(await indexNames(app)).toBe(true);
    const soon = await total({ patient_name: 'rarely' });
    expect(soon).toBeGreaterThan(0);
    expect(soon).toBeLessThan(25);
    await Promise.all([indexNames(app), indexNames(app)]);
    while (await indexNames(app));
    expect(await total({ patient_name: 'rarely' })).toBe(25);
    expect(await total({ shipping_recipient_name: 'xavier s' })).toBe(125);
    expect(await total({ patient_name: 'often' })).toBe(214);
    for (const word of ['Rarely', 'rarely', 'Seldom']) expect(await countInFiles(word)).toBe(0);
    const { orders } = await list({ order_key: 'patient_name', order_direction: 'desc', size: 26 });
    const names = orders.map(({ private: { patient: one } }) => one?.last_name);
    expect(names).toEqual([...Array.from({ length: 25 }, () => 'Rarely'), 'Often98']);
  });
});
