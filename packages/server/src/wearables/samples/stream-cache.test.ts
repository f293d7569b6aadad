import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openTestService, type TestService, type TestTeam } from '../../../test/service.ts';
import { fitbit, heartrate, sampleAt, sampleAccess } from '../../../test/sample-access.ts';
import { inTenant } from '../../app.ts';
import type { ReadingOrigin, HealthSample } from '../../readings/readings.ts';
import { lockSamples } from './origin-store.ts';
import { computeOriginKey } from './origins.ts';
import { putIntoKnownStream } from './put-store.ts';
import { upsertOrigin, putSamples } from './samples.ts';
import { sealSegment } from './sealed-chunk.ts';

let service: TestService;
let team: TestTeam;
let hand: ReturnType<typeof sampleAccess>;
beforeAll(async () => {
  service = await openTestService();
  team = await service.team();
  hand = sampleAccess(service, team);
});
afterAll(() => service.close());

const NOON = Date.UTC(2026, 2, 2, 12);
/** Twelve heart rate samples of one minute. */
const minute = (n: number, value = 60): HealthSample[] =>
  Array.from({ length: 12 }, (_, beat) => sampleAt(NOON + n * 60_000 + beat * 5000, value));
const times = (samples: readonly HealthSample[]) => samples.map(({ at }) => at);

/** A user with a cached stream of a watch. */
async function remembered(origin: ReadingOrigin = fitbit): Promise<string> {
  const userId = await team.user();
  for (const n of [0, 1, 2]) await hand.put(userId, heartrate(origin, minute(n)));
  return userId;
}

/** Writes samples as another process, without this process's cache. */
const elsewhere = (userId: string, origin: ReadingOrigin, samples: readonly HealthSample[]) =>
  inTenant(service.app, team.tenant, async (work) => {
    lockSamples(work, userId);
    const { provider, type } = origin;
    const stream = { user_id: userId, resource: 'heartrate', provider, source_type: type, type: '' };
    const segment = sealSegment(work, samples);
    await putIntoKnownStream(work, {
      ...segment,
      form: { segment },
      originKey: computeOriginKey(work, origin),
      stream,
    });
  });

const say = (userId: string, origin: ReadingOrigin, workoutId: string | null = null) =>
  inTenant(service.app, team.tenant, (work) => upsertOrigin(work, userId, { ...origin, workoutId }));

describe('a cached stream', () => {
  it('is used: the next samples are written at the end of the transaction', async () => {
    const userId = await remembered();
    const { created, updated } = await hand.put(userId, heartrate(fitbit, minute(3)));
    expect([times(created), updated]).toEqual([times(minute(3)), []]);
    expect(await hand.young(userId)).toEqual({ rows: 0, inSegments: 48 });
    expect(await hand.read(userId)).toHaveLength(48);
  });

  it('is invalidated when another process has written', async () => {
    const userId = await remembered();
    await elsewhere(userId, fitbit, minute(3));
    const { created, updated } = await hand.put(
      userId,
      heartrate(fitbit, [...minute(3).slice(0, 11), sampleAt(NOON + 3 * 60_000 + 55_000, 99), ...minute(4)]),
    );
    expect([times(created), times(updated)]).toEqual([times(minute(4)), [NOON + 3 * 60_000 + 55_000]]);
    expect(await hand.read(userId)).toHaveLength(60);
  });

  it('is invalidated when the device changes, which is reported', async () => {
    const userId = await remembered();
    const device = fitbit.device && { ...fitbit.device, version: '2.0' };
    await say(userId, { ...fitbit, device });
    const { source } = await hand.put(userId, heartrate(fitbit, minute(3)));
    expect(source.deviceChange).toMatchObject({ change: 'updated', device: { device_version: '1.0' } });
    expect((await hand.put(userId, heartrate(fitbit, minute(4)))).source.deviceChange).toBeNull();
  });

  it('is invalidated when the source changes', async () => {
    const run = { ...fitbit, workout: { key: 'w1', sport: 'running' } };
    const userId = await remembered(run);
    const id = '0190aaaa-0000-7000-8000-000000000002';
    await say(userId, run, id);
    expect((await hand.put(userId, heartrate(run, minute(3)))).source.workoutId).toBe(id);
  });

  it('does not restore data of an erased user', async () => {
    const userId = await remembered();
    const streams = await hand.segments(userId);
    await inTenant(service.app, team.tenant, ({ tx, tenant }) =>
      tx.deleteFrom('app_user').where('team_id', '=', tenant.teamId).where('id', '=', userId).execute(),
    );
    await expect(hand.put(userId, heartrate(fitbit, minute(3)))).rejects.toMatchObject({ code: '23503' });
    const left = await service.ownerPool.query('select count(*) from sample_segment where stream_id = $1', [
      streams[0]?.stream_id,
    ]);
    expect([streams.length, left.rows[0].count]).toEqual([3, 0]);
  });

  it('may come from a transaction that was rolled back', async () => {
    const userId = await remembered();
    const undone = inTenant(service.app, team.tenant, async (work) => {
      await putSamples(work, userId, heartrate(fitbit, minute(5)));
      throw new Error('undone');
    });
    await expect(undone).rejects.toThrow('undone');
    for (const n of [5, 6, 4]) {
      const { created } = await hand.put(userId, heartrate(fitbit, minute(n)));
      expect(created).toHaveLength(12);
    }
    const { created, updated } = await hand.put(userId, heartrate(fitbit, minute(5)));
    expect([created, updated]).toEqual([[], []]);
    expect(await hand.read(userId)).toHaveLength(72);
  });
});
