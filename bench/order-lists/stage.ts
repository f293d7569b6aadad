import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type pg from 'pg';
import { request } from 'undici';
import { z } from 'zod';
import { createLocalKeyProvider } from '../../packages/server/src/platform/crypto/local-key-provider.ts';
import { tenantCipher, type TenantCipher } from '../../packages/server/src/platform/crypto/cipher.ts';
import {
  toDataKeys,
  TENANT_KEY_COLUMNS,
  type TenantKeyRow,
} from '../../packages/server/src/platform/crypto/key-store.ts';
import { toTenantKey, type Tenant } from '../../packages/server/src/platform/tenant.ts';
import { startEmbeddedPostgres } from '../../packages/server/src/platform/embedded-postgres/embedded-postgres.ts';
import { databaseUrlOf } from '../../packages/server/test/database-url.ts';
import { copyOrders } from '../../packages/server/test/copied-orders.ts';
import { order } from '../../packages/server/test/examples.ts';
import { Credentials } from '../../packages/server/test/faults/stage.ts';
import { buildService, freePort, startProcess } from '../../packages/server/test/faults/service-process.ts';
import { defineStage, type BenchSize } from '../../tools/bench/bench-case.ts';
import type { CleanupTasks } from '../../tools/stage/cleanup.ts';
import { withClient } from '../../tools/stage/database.ts';
import { openFolder } from '../folder.ts';
import { send, createTarget, type BenchTarget, UNREACHED_LIMITS } from '../load.ts';

/** Two teams on one service and database: one with few orders, one with many. */
export interface ListStage {
  readonly service: { readonly url: string; readonly orgId: string; readonly managementKey: string };
  readonly few: ListTeam;
  readonly many: ListTeam;
}

export interface ListTeam {
  readonly teamId: string;
  readonly target: BenchTarget;
  /** The user who has all copies of one rare kind; both teams have equally many of them. */
  readonly userId: string;
  /** Another user, who has as many orders as FREQUENT says. */
  readonly frequentUserId: string;
  /** An order of the first user. */
  readonly orderId: string;
  readonly transactionId: string;
}

const COUNTS = {
  full: { few: 1000, many: 1_000_000 },
  quick: { few: 1000, many: 20_000 },
} as const;

/** Orders of one user: of the team with few orders, and of that with many. */
const FREQUENT = { few: 100, many: 5000 } as const;

export const listStage = defineStage<ListStage>({
  name: 'orders-list',
  expectedSeconds: { full: 240, quick: 15 },
  open: (cleanups, size) => openListStage(cleanups, { size, ...COUNTS[size] }),
});

interface ListStageOptions {
  readonly size: BenchSize;
  /** Orders of the two teams. */
  readonly few: number;
  readonly many: number;
  /** For the processes of the service. */
  readonly env?: Readonly<Record<string, string>>;
}

export async function openListStage(
  cleanups: CleanupTasks,
  { size, env = {}, ...counts }: ListStageOptions,
): Promise<ListStage> {
  const folder = await openFolder('lists', cleanups, size);
  const bundle = await buildService();
  cleanups.push(bundle.release);
  const postgres = await startEmbeddedPostgres({ dataDir: folder, log: () => {} });
  cleanups.push(() => postgres.stop());
  const service = await startProcess(bundle.serve, {
    ...UNREACHED_LIMITS,
    ROLE: 'api',
    LOG_LEVEL: 'warn',
    NODE_ENV: 'production',
    PORT: String(await freePort()),
    DATA_DIR: folder,
    DATABASE_URL: databaseUrlOf(postgres.connection),
    ...env,
  });
  cleanups.push(() => service.stop());
  const { connection } = postgres;
  return withClient(connection, (client) => openTeams(service.url, { folder, client, ...counts }));
}

interface TeamSizes {
  readonly folder: string;
  readonly client: pg.Client;
  readonly few: number;
  readonly many: number;
}

async function openTeams(url: string, { folder, client, few, many }: TeamSizes): Promise<ListStage> {
  const own = Credentials.parse(JSON.parse(await readFile(join(folder, 'credentials.json'), 'utf8')));
  const manage = async (path: string, body: object) => {
    const headers = { 'content-type': 'application/json', 'x-management-key': own.management_key };
    const at = `${url}/v1/org/${own.org_id}${path}`;
    return (await request(at, { method: 'POST', headers, body: JSON.stringify(body) })).body.json();
  };
  const openTeam = async (name: string, { count, frequent }: { count: number; frequent: number }) => {
    const { id } = CreatedTeam.parse(await manage('/team', { name, region: 'us' }));
    const key = Key.parse(await manage('/team_api_keys/sandbox/us', { label: name, team_id: id }));
    const team = { tenant: { teamId: id, environment: 'sandbox' as const }, folder, count, frequent };
    return fillTeam(createTarget(url, { 'x-service-api-key': key.value }), client, team);
  };
  const stage = {
    few: await openTeam('Few orders', { count: few, frequent: FREQUENT.few }),
    many: await openTeam('Many orders', { count: many, frequent: FREQUENT.many }),
  };
  await client.query('vacuum analyze');
  return { ...stage, service: { url, orgId: own.org_id, managementKey: own.management_key } };
}

const CreatedTeam = z.object({ id: z.string() });
const Key = z.object({ value: z.string() });
const User = z.object({ user_id: z.string() });
const LabTests = z.array(z.object({ id: z.string(), markers: z.array(z.unknown()).nullable() }));
const Placed = z.object({ order: z.object({ id: z.string() }) });

interface TeamFill {
  readonly tenant: Tenant;
  readonly folder: string;
  readonly count: number;
  /** Orders of one user among them. */
  readonly frequent: number;
}

/** The cipher that seals the names of a team, from the key that the service generated in its folder. */
async function cipherOf(client: pg.Client, { tenant, folder }: TeamFill): Promise<TenantCipher> {
  const { teamId, environment } = tenant;
  const key = await readFile(join(folder, 'encryption.key'), 'utf8');
  const provider = createLocalKeyProvider({ key });
  const { rows } = await client.query<TenantKeyRow>(
    `select ${TENANT_KEY_COLUMNS.join()} from tenant_key where team_id = $1 and environment = $2`,
    [teamId, environment],
  );
  const keys = await toDataKeys(({ wrapped_key }, context) => provider.unwrap(wrapped_key, context), rows);
  if (!keys) throw new Error('The team has no data key');
  return tenantCipher(keys, toTenantKey(tenant));
}

/** Creates one order through the API, and copies of it. */
async function fillTeam(door: BenchTarget, client: pg.Client, filling: TeamFill): Promise<ListTeam> {
  const post = async (path: string, body: object): Promise<unknown> =>
    JSON.parse(await send(door, { method: 'POST', path, body: JSON.stringify(body) }));
  const { user_id: userId } = User.parse(await post('/v2/user', { client_user_id: 'somebody' }));
  const path = '/v3/lab_tests?collection_method=walk_in_test';
  const tests = LabTests.parse(JSON.parse(await send(door, { method: 'GET', path })));
  // The smallest test: the smaller an order, the more the search counts.
  const [test] = tests.toSorted((one, other) => (one.markers?.length ?? 0) - (other.markers?.length ?? 0));
  const physician = { first_name: 'Mary', last_name: 'Putnam', npi: '1234567893' };
  const placed = Placed.parse(await post('/v3/order', { ...order(userId, test?.id ?? ''), physician }));
  const cipher = await cipherOf(client, filling);
  const copies = { orderId: placed.order.id, count: filling.count, cipher };
  await withoutIndexes(client, async () => {
    await copyOrders(client, copies);
    await client.query(GIVE_ORDERS, [placed.order.id, filling.frequent]);
  });
  // The first sort by name assigns the sort positions; do that before measuring.
  await client.query('analyze');
  while (!(await isAnswered(door, '/v3/orders?order_key=patient_name')));
  const { rows } = await client.query<Record<'user_id' | 'id' | 'transaction_id' | 'frequent_id', string>>(
    `select o.user_id, o.id, o.transaction_id, (
       select f.id from app_user f where f.team_id = m.team_id and f.client_user_id = 'copied-1') as frequent_id
     from lab_order m join app_user u on u.team_id = m.team_id and u.client_user_id = 'copied-0'
       join lab_order o on o.user_id = u.id
     where m.id = $1 order by o.created_at desc limit 1`,
    [placed.order.id],
  );
  const [last] = rows;
  if (!last) throw new Error('The orders were not copied');
  const { teamId } = filling.tenant;
  return {
    teamId,
    target: door,
    userId: last.user_id,
    frequentUserId: last.frequent_id,
    orderId: last.id,
    transactionId: last.transaction_id,
  };
}

/** Spread over the two years, between the orders of others; none of the first user. */
const GIVE_ORDERS = `
  update lab_order o set user_id = f.id
  from lab_order m, app_user f, app_user r
  where m.id = $1 and o.team_id = m.team_id and f.team_id = m.team_id and f.client_user_id = 'copied-1'
    and r.team_id = m.team_id and r.client_user_id = 'copied-0' and o.id = any(array(
      select p.id from (
        select c.id, row_number() over (order by c.created_at) as n, count(*) over () as all_orders
        from lab_order c where c.team_id = m.team_id and c.user_id not in (r.id, f.id) and c.id <> m.id) p
      where p.n % (p.all_orders / $2::int) = 0 limit $2::int - 10))`;

const isAnswered = async ({ pool, headers }: BenchTarget, path: string): Promise<boolean> => {
  const answer = await pool.request({ method: 'GET', path, headers });
  await answer.body.dump();
  return answer.statusCode === 200;
};

/** Building an index over a million rows takes seconds; updating it row by row takes minutes. */
async function withoutIndexes(client: pg.Client, load: () => Promise<void>): Promise<void> {
  const { rows } = await client.query<Record<'name' | 'definition', string>>(
    `select i.indexrelid::regclass::text as name, pg_get_indexdef(i.indexrelid) as definition
     from pg_index i
     where i.indrelid in ('lab_order'::regclass, 'order_name'::regclass, 'order_name_token'::regclass,
         'order_transaction'::regclass)
       and not i.indisprimary`,
  );
  await client.query("set maintenance_work_mem = '512MB'");
  for (const { name } of rows) await client.query(`drop index ${name}`);
  await load();
  for (const { definition } of rows) await client.query(definition);
}
