import { randomUUID } from 'node:crypto';
import pg from 'pg';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { z } from 'zod';
import { order } from '../../../test/examples.ts';
import { findLabTestId } from '../../../test/orders.ts';
import { openTestService, type TestService, type TestTeam } from '../../../test/service.ts';
import { connectUser, standInSettings, setHistoricalDays } from '../../../test/wearable-links.ts';
import { continuousQuery } from '../../../test/queries.ts';
import { openStandIn, type StandIn } from '../../../test/wearable-providers/stand-in.ts';
import { ouraProtocol } from '../../../test/wearable-providers/oura.ts';
import { DAY, MINUTE } from '../clock.ts';
import { inTenant, type Platform } from '../work.ts';
import { defineJob, enqueue, startQueue } from './jobs.ts';

const CROWD = 12;
/** Less than the provider timeout of 30 s, so that the timeout does not end the wait. */
const PATIENCE_MS = 25_000;

let service: TestService;
let oura: StandIn;
let clinic: TestTeam;
/** Each uses its own test service: jobs that hang in one would hold the workers of the others. */
beforeEach(async () => {
  oura = await openStandIn(ouraProtocol);
  service = await openTestService(standInSettings(oura));
  clinic = await service.team();
});
afterEach(async () => {
  await oura.close();
  await service.close();
});

/** Delivers a critical result for a patient; resolves when notifying about it is possible. */
async function criticalResult(): Promise<void> {
  const testId = await findLabTestId(clinic, 'walk_in_test');
  const placed = await clinic.post('/v3/order', order(await clinic.user(), testId));
  const path = `/v3/order/${placed.json.order.id}`;
  await clinic.post(`${path}/test?final_status=completed`, { interpretation: 'critical' });
  const isOpen = async () => (await clinic.get(`${path}/critical_results`)).json.data.length === 1;
  await vi.waitUntil(isOpen, { timeout: PATIENCE_MS, interval: 20 });
}

/** The number of running jobs. */
async function underWay(): Promise<number> {
  const { rows } = await service.ownerPool.query(
    'select count(*)::int as n from graphile_worker.jobs where locked_by is not null',
  );
  return rows[0].n;
}

describe('jobs', () => {
  // prettier-ignore
  it.each([
    ['that can wait',         { canWait: true }],
    ['that ask a laboratory', { asksLaboratory: true }],
  ] as const)('%s all run, and however many hang, no other job waits for them', async (_which, kind) => {
    const pool = new pg.Pool(service.ownerPool.options);
    pool.on('error', () => {}).on('connect', (client) => client.on('error', () => {}));
    let release = () => {};
    const released = new Promise<void>((resolve) => (release = resolve));
    const done: string[] = [];
    const input = z.object({});
    const [crowding, urgent] = [`test.${randomUUID()}`, `test.${randomUUID()}`];
    const hanging = defineJob<Platform, object>({
      name: crowding,
      input,
      ...kind,
      run: () => released.then(() => void done.push(crowding)),
    });
    const other = defineJob<Platform, object>({
      name: urgent,
      input,
      run: async () => void done.push(urgent),
    });
    const queue = await startQueue(service.app, pool, [hanging, other]);
    await inTenant(service.app, clinic.tenant, async (work) => {
      for (let n = 0; n < CROWD; n += 1) await enqueue(work, hanging, {});
      await enqueue(work, other, {});
    });
    await vi.waitUntil(() => done.length > 0, PATIENCE_MS);
    release();
    await vi.waitUntil(() => done.length > CROWD, PATIENCE_MS);
    expect(done).toEqual([urgent, ...Array<string>(CROWD).fill(crowding)]);
    await queue.stop();
    await pool.end();
  });

  it('that can wait include continuous queries: those of one team do not delay a critical result of another', async () => {
    const team = await service.team();
    for (let n = 0; n < CROWD; n += 1) await team.user();
    const path = `/v1/org/${team.orgId}/team/${team.tenant.teamId}/sandbox/continuous_query`;
    await team.management.post(path, continuousQuery);
    const timers = async () => {
      const ofTeam = "select from timer where team_id = $1 and job like 'continuous-queries.%'";
      return (await service.ownerPool.query(ofTeam, [team.tenant.teamId])).rowCount;
    };
    await vi.waitUntil(async () => (await timers()) === CROWD, PATIENCE_MS);
    const holding = new pg.Client(service.ownerPool.options);
    await holding.connect();
    await holding.query('begin; lock table continuous_query_task');
    service.clock.move(MINUTE);
    await vi.waitUntil(async () => (await timers()) === 0 && (await underWay()) === 4, PATIENCE_MS);
    await criticalResult();
    expect(await underWay()).toBeGreaterThanOrEqual(4);
    await holding.query('rollback');
    await holding.end();
  });

  it('that can wait include calls to wearable providers: one that hangs does not delay a critical result', async () => {
    const team = await service.team();
    await setHistoricalDays(team, 1, oura);
    for (let n = 0; n < 2; n += 1) await connectUser({ service, team, standIn: oura }, await team.user());
    await service.settle();
    oura.behavior = 'silent';
    // Each connection polls for new data and for its registration.
    service.clock.move(DAY);
    await vi.waitUntil(async () => (await underWay()) === 4, PATIENCE_MS);
    await criticalResult();
    expect(await underWay()).toBeGreaterThanOrEqual(4);
  });
});
