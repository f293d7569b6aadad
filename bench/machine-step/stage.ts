import type pg from 'pg';
import type { App } from '../../packages/server/src/app.ts';
import { buildHttp } from '../../packages/server/src/compose.ts';
import { seedCatalog } from '../../packages/server/src/ordering/catalog/catalog.ts';
import {
  createOrganization,
  createTeam,
  createTeamKey,
} from '../../packages/server/src/identity/management/management.ts';
import { readConfig } from '../../packages/server/src/platform/config.ts';
import { openLog } from '../../packages/server/src/platform/log.ts';
import type { Tenant } from '../../packages/server/src/platform/tenant.ts';
import { openApp } from '../../packages/server/src/service.ts';
import { order } from '../../packages/server/test/examples.ts';
import { defineStage, type BenchSize } from '../../tools/bench/bench-case.ts';
import type { CleanupTasks } from '../../tools/stage/cleanup.ts';
import { createDatabase } from '../../tools/stage/database.ts';
import { openFolder } from '../folder.ts';

/** The app in this process, and test kit orders in transit to the customer. */
export interface StepStage {
  readonly app: App;
  readonly tenant: Tenant;
  readonly orderIds: readonly string[];
  /** Connections of the database owner, for the handwritten statements. */
  readonly pool: pg.Pool;
}

/**
 * Enough orders that each makes only a few transitions during the measurement, as in production. With a few hundred
 * orders both sides lengthen the same histories, and ours, which reads the whole history, pays for both.
 */
const ORDERS = { full: 3000, quick: 48 } as const;
const ON_THE_WAY = 'collecting_sample.testkit.transit_customer';
const root = new URL('../../packages/server/', import.meta.url);

export const stepStage = defineStage<StepStage>({
  name: 'machine-step',
  expectedSeconds: { full: 45, quick: 5 },
  open: openStage,
});

async function openStage(cleanups: CleanupTasks, size: BenchSize): Promise<StepStage> {
  const folder = await openFolder('step', cleanups, size);
  const server = process.env['DATABASE_URL'];
  const DATABASE_URL =
    server && (await createDatabase(server, `aliquot_bench_step_${process.pid}`, cleanups));
  const config = readConfig({ DATA_DIR: folder, LOG_LEVEL: 'silent', DATABASE_POOL: '10', DATABASE_URL });
  const { app, pools, close } = await openApp({ config, log: openLog('silent'), root });
  cleanups.push(close);
  await seedCatalog(app);
  const org = await createOrganization(app, { name: 'Bench' });
  const team = await createTeam(app, { orgId: org.id, name: 'Bench', region: 'us' });
  const tenant: Tenant = { teamId: team.id, environment: 'sandbox' };
  const orderIds = await place(app, tenant, ORDERS[size]);
  await pools.ownerPool.query('vacuum analyze');
  return { app, tenant, orderIds, pool: pools.ownerPool };
}

/** Creates orders through the API, so that the service wrote every row. */
async function place(app: App, tenant: Tenant, count: number): Promise<string[]> {
  const { value: key } = await createTeamKey(app, { tenant, label: 'bench' });
  const http = buildHttp(app);
  const call = async (method: 'GET' | 'POST', url: string, body?: object) => {
    const headers = { 'x-service-api-key': key, 'content-type': 'application/json' };
    const sent = { method, url, headers, ...(body ? { payload: JSON.stringify(body) } : {}) };
    const answer = await http.server.inject(sent);
    if (answer.statusCode !== 200) throw new Error(`${method} ${url} answered ${answer.body}`);
    return answer.json();
  };
  const [test] = await call('GET', '/v3/lab_tests?collection_method=testkit');
  const ids: string[] = [];
  for (let n = 0; n < count; n += 1) {
    const { user_id } = await call('POST', '/v2/user', { client_user_id: `patient-${n}` });
    const placed = await call('POST', '/v3/order', order(user_id, test.id));
    await call('POST', `/v3/order/${placed.order.id}/test?final_status=${ON_THE_WAY}`, {});
    ids.push(placed.order.id);
  }
  await http.server.close();
  return ids;
}
