import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openHouse, type House, type TeamInHand } from '../../../test/house.ts';
import { fitbit, heartrate, sampleAt, samplesOf } from '../../../test/samples.ts';
import { inTenant } from '../../app.ts';
import type { Origin, Sample } from '../readings.ts';
import { lockSamples } from './origin-store.ts';
import { originKey } from './origins.ts';
import { putKnown } from './put-store.ts';
import { originIn, putSamples } from './samples.ts';
import { sealSegment } from './sealed-chunk.ts';

let house: House;
let team: TeamInHand;
let hand: ReturnType<typeof samplesOf>;
beforeAll(async () => {
  house = await openHouse();
  team = await house.team();
  hand = samplesOf(house, team);
});
afterAll(() => house.close());

const NOON = Date.UTC(2026, 2, 2, 12);
/** Twelve samples, a minute of a pulse. */
const minute = (n: number, value = 60): Sample[] =>
  Array.from({ length: 12 }, (_, beat) => sampleAt(NOON + n * 60_000 + beat * 5000, value));
const times = (samples: readonly Sample[]) => samples.map(({ at }) => at);

/** A user of whom this process remembers what a watch brought. */
async function remembered(origin: Origin = fitbit): Promise<string> {
  const userId = await team.user();
  for (const n of [0, 1, 2]) await hand.put(userId, heartrate(origin, minute(n)));
  return userId;
}

/** Samples that another process writes, which remembers nothing for this one. */
const elsewhere = (userId: string, origin: Origin, samples: readonly Sample[]) =>
  inTenant(house.app, team.tenant, async (work) => {
    lockSamples(work, userId);
    const { provider, type } = origin;
    const stream = { user_id: userId, resource: 'heartrate', provider, source_type: type, type: '' };
    const segment = sealSegment(work, samples);
    await putKnown(work, { ...segment, form: { segment }, originKey: originKey(work, origin), stream });
  });

const say = (userId: string, origin: Origin, workoutId: string | null = null) =>
  inTenant(house.app, team.tenant, (work) => originIn(work, userId, { ...origin, workoutId }));

describe('what a process remembers of a stream', () => {
  it('is built upon: what comes next is written with the end of the transaction', async () => {
    const userId = await remembered();
    const { created, updated } = await hand.put(userId, heartrate(fitbit, minute(3)));
    expect([times(created), updated]).toEqual([times(minute(3)), []]);
    expect(await hand.young(userId)).toEqual({ rows: 0, inSegments: 48 });
    expect(await hand.read(userId)).toHaveLength(48);
  });

  it('is given up when another process has written what comes here', async () => {
    const userId = await remembered();
    await elsewhere(userId, fitbit, minute(3));
    const { created, updated } = await hand.put(
      userId,
      heartrate(fitbit, [...minute(3).slice(0, 11), sampleAt(NOON + 3 * 60_000 + 55_000, 99), ...minute(4)]),
    );
    expect([times(created), times(updated)]).toEqual([times(minute(4)), [NOON + 3 * 60_000 + 55_000]]);
    expect(await hand.read(userId)).toHaveLength(60);
  });

  it('is given up when the device is another one meanwhile, which is told', async () => {
    const userId = await remembered();
    const device = fitbit.device && { ...fitbit.device, version: '2.0' };
    await say(userId, { ...fitbit, device });
    const { source } = await hand.put(userId, heartrate(fitbit, minute(3)));
    expect(source.deviceChange).toMatchObject({ change: 'updated', device: { device_version: '1.0' } });
    expect((await hand.put(userId, heartrate(fitbit, minute(4)))).source.deviceChange).toBeNull();
  });

  it('is given up when more is known of the source', async () => {
    const run = { ...fitbit, workout: { key: 'w1', sport: 'running' } };
    const userId = await remembered(run);
    const id = '0190aaaa-0000-7000-8000-000000000002';
    await say(userId, run, id);
    expect((await hand.put(userId, heartrate(run, minute(3)))).source.workoutId).toBe(id);
  });

  it('brings nothing back of a user who was erased', async () => {
    const userId = await remembered();
    const streams = await hand.segments(userId);
    await inTenant(house.app, team.tenant, ({ tx, tenant }) =>
      tx.deleteFrom('app_user').where('team_id', '=', tenant.teamId).where('id', '=', userId).execute(),
    );
    await expect(hand.put(userId, heartrate(fitbit, minute(3)))).rejects.toMatchObject({ code: '23503' });
    const left = await house.owner.query('select count(*) from sample_segment where stream_id = $1', [
      streams[0]?.stream_id,
    ]);
    expect([streams.length, left.rows[0].count]).toEqual([3, 0]);
  });

  it('may be of a work that was undone', async () => {
    const userId = await remembered();
    const undone = inTenant(house.app, team.tenant, async (work) => {
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
