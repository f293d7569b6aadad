import type { Work } from '../../platform/work.ts';
import type { ReadingOrigin } from '../../readings/readings.ts';
import { upsertDevice, getDeviceIdentity } from './devices.ts';
import * as store from './origin-store.ts';
import type { SourceRow } from './origin-store.ts';
import type { UpsertedSource, StoredSource } from './stored.ts';
import { bumpOriginsVersion } from './stream-store.ts';

/** What ingestion may know in addition to the origin. */
export interface KnownWorkout {
  /** The id of the summary of `origin.workout`. Once known, it is kept. */
  readonly workoutId: string | null;
}

/** A keyed digest of everything that distinguishes origins. */
export const computeOriginKey = ({ cipher }: Work, origin: ReadingOrigin): Buffer =>
  cipher.blindIndex(
    JSON.stringify([
      'origin',
      origin.provider,
      origin.type,
      origin.appId,
      getDeviceIdentity(origin),
      origin.workout?.key ?? null,
    ]),
  );

/** Finds or creates the source and device of an origin. Takes the user's sample lock. */
export async function upsertSource(
  work: Work,
  userId: string,
  origin: ReadingOrigin & Partial<KnownWorkout>,
): Promise<UpsertedSource> {
  store.lockSamples(work, userId);
  const device = await upsertDevice(work, userId, origin);
  const wanted = { workout_id: origin.workoutId ?? null, sport: origin.workout?.sport ?? null };
  const key = computeOriginKey(work, origin);
  const row = await store.findSource(work, userId, key);
  if (row) {
    const kept = { workout_id: wanted.workout_id ?? row.workout_id, sport: wanted.sport ?? row.sport };
    if (kept.workout_id !== row.workout_id || kept.sport !== row.sport) {
      await store.updateSource(work, row.id, kept);
      bumpOriginsVersion(work, userId);
    }
    return { ...toStoredSource({ ...row, ...kept }), deviceChange: device?.change ?? null };
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
  return { ...toStoredSource(made), deviceChange: device?.change ?? null };
}

export const toStoredSource = (row: SourceRow): StoredSource => ({
  id: row.id,
  provider: row.provider,
  type: row.type,
  appId: row.app_id,
  deviceId: row.device_id,
  workoutId: row.workout_id,
  sport: row.sport,
});
