import { randomUUID } from 'node:crypto';
import pg from 'pg';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { z } from 'zod';
import { order } from '../../../test/examples.ts';
import { openHouse, type House, type TeamInHand } from '../../../test/house.ts';
import { connected, linkedTo, readBack } from '../../../test/linked.ts';
import { continuousQuery } from '../../../test/queries.ts';
import { openStandIn, type StandIn } from '../../../test/wearable-providers/core.ts';
import { ouraWire } from '../../../test/wearable-providers/oura.ts';
import { DAY, MINUTE } from '../clock.ts';
import { inTenant, type Platform } from '../work.ts';
import { defineJob, enqueue, startQueue } from './jobs.ts';

const CROWD = 12;
/** Less than the 30 s after which a provider is given up, so that this is not what ends the wait. */
const PATIENCE_MS = 25_000;

let house: House;
let oura: StandIn;
let clinic: TeamInHand;
/** Each has a house of its own: what hangs in one would hold the workers of the others. */
beforeEach(async () => {
  oura = await openStandIn(ouraWire);
  house = await openHouse(linkedTo(oura));
  clinic = await house.team();
});
afterEach(async () => {
  await oura.close();
  await house.close();
});

/** A critical result comes for a patient of the clinic; answers when somebody can be told of it. */
async function criticalResult(): Promise<void> {
  const [test] = (await clinic.get('/v3/lab_tests?collection_method=walk_in_test')).json;
  const placed = await clinic.post('/v3/order', order(await clinic.user(), test.id));
  const path = `/v3/order/${placed.json.order.id}`;
  await clinic.post(`${path}/test?final_status=completed`, { interpretation: 'critical' });
  const isOpen = async () => (await clinic.get(`${path}/critical_results`)).json.data.length === 1;
  await vi.waitUntil(isOpen, { timeout: PATIENCE_MS, interval: 20 });
}

/** How many jobs somebody is at. */
async function underWay(): Promise<number> {
  const { rows } = await house.owner.query(
    'select count(*)::int as n from graphile_worker._private_jobs where locked_by is not null',
  );
  return rows[0].n;
}

describe('jobs', () => {
  // prettier-ignore
  it.each([
    ['that can wait',         { canWait: true }],
    ['that ask a laboratory', { asksLaboratory: true }],
  ] as const)('%s are all done, and however many hang nothing else waits for them', async (_which, kind) => {
    const pool = new pg.Pool(house.owner.options);
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
    const queue = await startQueue(house.app, pool, [hanging, other]);
    await inTenant(house.app, clinic.tenant, async (work) => {
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

  it('that can wait are those that answer continuous queries: the users of one team keep no critical result of another back', async () => {
    const team = await house.team();
    for (let n = 0; n < CROWD; n += 1) await team.user();
    const path = `/v1/org/${team.orgId}/team/${team.tenant.teamId}/sandbox/continuous_query`;
    await team.management.post(path, continuousQuery);
    const timers = async () => {
      const ofTeam = "select from timer where team_id = $1 and job like 'continuous-queries.%'";
      return (await house.owner.query(ofTeam, [team.tenant.teamId])).rowCount;
    };
    await vi.waitUntil(async () => (await timers()) === CROWD, PATIENCE_MS);
    const holding = new pg.Client(house.owner.options);
    await holding.connect();
    await holding.query('begin; lock table continuous_query_task');
    house.clock.move(MINUTE);
    await vi.waitUntil(async () => (await timers()) === 0 && (await underWay()) === 4, PATIENCE_MS);
    await criticalResult();
    expect(await underWay()).toBeGreaterThanOrEqual(4);
    await holding.query('rollback');
    await holding.end();
  });

  it('are those that ask a wearable provider: one that does not answer keeps no critical result back', async () => {
    const team = await house.team();
    await readBack(team, 1, oura);
    for (let n = 0; n < 2; n += 1) await connected({ house, team, standIn: oura }, await team.user());
    await house.settle();
    oura.mood = 'silent';
    // Of each connection the news of the day are asked for, and the registration for further ones.
    house.clock.move(DAY);
    await vi.waitUntil(async () => (await underWay()) === 4, PATIENCE_MS);
    await criticalResult();
    expect(await underWay()).toBeGreaterThanOrEqual(4);
  });
});
