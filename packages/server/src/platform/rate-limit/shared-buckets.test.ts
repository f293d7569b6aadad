import { beforeEach, describe, expect, it } from 'vitest';
import { useTestService } from '../../../test/service-hooks.ts';
import { asSystem } from '../db/transact.ts';
import { createSharedBuckets } from './shared-buckets.ts';
import { takeShared } from './store.ts';
import { createTokenBuckets } from './token-buckets.ts';

const service = useTestService();
const TEAM = { bucket: 'team', perMinute: 10 };
const LARGE = { bucket: 'large', perMinute: 1000 };
/** Full buckets into which nothing flows, however long a test takes. */
beforeEach(async () => {
  await service.ownerPool.query('delete from rate_bucket');
  for (const { bucket, perMinute } of [TEAM, LARGE]) {
    await service.ownerPool.query(
      `insert into rate_bucket values ($1, $2, 0, 0, 0, $2, now() + interval '1 hour')`,
      [bucket, perMinute],
    );
  }
});

/** A process: its buckets on the shared database, with the number of its round trips. */
function openProcess() {
  const process = { roundTrips: 0, failures: 0, isBroken: false, ms: 0 };
  const take = createSharedBuckets({
    take: (requests) => {
      process.roundTrips += 1;
      if (process.isBroken) return Promise.reject(new Error('The database is down'));
      return asSystem(service.app.db, (tx) => takeShared(tx, requests));
    },
    fallback: createTokenBuckets(() => 0),
    nowMs: () => process.ms,
    onFailure: () => (process.failures += 1),
  });
  return { process, take };
}

describe('shared token buckets', () => {
  it('are one budget for two processes', async () => {
    const [one, two] = [openProcess(), openProcess()];
    const taken: boolean[] = [];
    for (let n = 0; n < 8; n += 1) {
      for (const { take } of [one, two]) taken.push((await take([TEAM], 1)).isTaken);
    }
    // A chunk is a tenth of a token here: no process has a token left that it did not use.
    expect(taken.filter(Boolean)).toHaveLength(9);
    expect((await one.take([{ ...TEAM, bucket: 'another' }], 1)).isTaken).toBe(true);
  });

  it('cost a round trip only once per chunk', async () => {
    const { process, take } = openProcess();
    for (let n = 0; n < 110; n += 1) expect((await take([LARGE], 1)).isTaken).toBe(true);
    expect(process.roundTrips).toBe(10);
    const levels = await take([LARGE], 1);
    expect(Math.round(levels.levels[0] ?? 0)).toBe(889);
  });

  it('take from all or from none, and remember a refusal for a second', async () => {
    const { process, take } = openProcess();
    expect((await take([TEAM], 9)).isTaken).toBe(true);
    expect((await take([LARGE, TEAM], 5)).isTaken).toBe(false);
    const asked = process.roundTrips;
    expect((await take([LARGE, TEAM], 5)).isTaken).toBe(false);
    expect(process.roundTrips).toBe(asked);
    process.ms += 1000;
    await take([LARGE, TEAM], 5);
    expect(process.roundTrips).toBe(asked + 1);
    expect((await take([LARGE], 5)).isTaken).toBe(true);
    expect(process.roundTrips).toBe(asked + 1);
  });

  it('fill again by the clock of the database', async () => {
    const { process, take } = openProcess();
    expect((await take([TEAM], 10)).isTaken).toBe(true);
    expect((await take([TEAM], 10)).isTaken).toBe(false);
    await service.ownerPool.query(`update rate_bucket set updated_at = now() - interval '61 seconds'`);
    process.ms += 1000;
    expect((await take([TEAM], 10)).isTaken).toBe(true);
  });

  it('are counted in memory while the store fails, and shared again after five seconds', async () => {
    const { process, take } = openProcess();
    process.isBroken = true;
    for (let n = 0; n < 10; n += 1) expect((await take([TEAM], 1)).isTaken).toBe(true);
    expect((await take([TEAM], 1)).isTaken).toBe(false);
    expect([process.roundTrips, process.failures]).toEqual([1, 1]);
    process.isBroken = false;
    process.ms += 5000;
    expect((await take([TEAM], 1)).isTaken).toBe(true);
    expect(process.roundTrips).toBe(2);
  });

  it('never grant more than there is to concurrent requests of several processes', async () => {
    const processes = [openProcess(), openProcess(), openProcess()];
    const answers = await Promise.all(
      Array.from({ length: 30 }, (_, n) => processes[n % 3]?.take([TEAM], 1)),
    );
    expect(answers.filter((answer) => answer?.isTaken).length).toBeLessThanOrEqual(10);
  });
});
