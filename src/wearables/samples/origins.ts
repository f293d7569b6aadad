import type { Work } from '../../platform/work.ts';
import type { Origin } from '../readings.ts';
import { deviceIn, deviceName } from './devices.ts';
import * as store from './origin-store.ts';
import type { SourceRow } from './origin-store.ts';
import type { FoundSource, StoredSource } from './stored.ts';
import { originsChange } from './stream-store.ts';

/** What the bringer of samples may know beside their origin. */
export interface Known {
  /** Of the summary of `origin.workout`; what is known once stays known. */
  readonly workoutId: string | null;
}

/** A keyed digest of everything that makes an origin another one. */
export const originKey = ({ cipher }: Work, origin: Origin): Buffer =>
  cipher.blindIndex(
    JSON.stringify([
      'origin',
      origin.provider,
      origin.type,
      origin.appId,
      deviceName(origin),
      origin.workout?.key ?? null,
    ]),
  );

/** Finds or makes the source and the device of an origin; whoever else writes samples of the user waits from now on. */
export async function sourceIn(
  work: Work,
  userId: string,
  origin: Origin & Partial<Known>,
): Promise<FoundSource> {
  store.lockSamples(work, userId);
  const device = await deviceIn(work, userId, origin);
  const wanted = { workout_id: origin.workoutId ?? null, sport: origin.workout?.sport ?? null };
  const key = originKey(work, origin);
  const row = await store.findSource(work, userId, key);
  if (row) {
    const kept = { workout_id: wanted.workout_id ?? row.workout_id, sport: wanted.sport ?? row.sport };
    if (kept.workout_id !== row.workout_id || kept.sport !== row.sport) {
      await store.updateSource(work, row.id, kept);
      originsChange(work, userId);
    }
    return { ...storedSource({ ...row, ...kept }), deviceChange: device?.change ?? null };
  }
  const made = await store.insertSource(work, {
    user_id: userId,
    origin_key: key,
    provider: origin.provider,
    type: origin.type,
    app_id: origin.appId,
    device_id: device?.id ?? null,
    ...wanted,
  });
  return { ...storedSource(made), deviceChange: device?.change ?? null };
}

export const storedSource = (row: SourceRow): StoredSource => ({
  id: row.id,
  provider: row.provider,
  type: row.type,
  appId: row.app_id,
  deviceId: row.device_id,
  workoutId: row.workout_id,
  sport: row.sport,
});
