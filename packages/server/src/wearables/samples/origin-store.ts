import { sql, type Insertable, type Selectable } from 'kysely';
import type { Database } from '../../platform/db/database.ts';
import { firstPublicId, scrambleKeyOf } from '../../platform/db/scrambled-number.ts';
import { tenantColumns } from '../../platform/db/tenant-rows.ts';
import type { Tenant } from '../../platform/tenant.ts';
import { deferrableCall } from '../../platform/db/deferred.ts';
import { precompileQuery } from '../../platform/db/precompiled-query.ts';
import { defer, type Work } from '../../platform/work.ts';
import './table.ts';

export type DeviceRow = Selectable<Database['wearable_device']>;
export type SourceRow = Selectable<Database['wearable_source']>;
type NewOriginRow<T extends keyof Database> = Omit<
  Insertable<Database[T]>,
  'team_id' | 'environment' | 'created_at' | 'updated_at'
>;

/** The name of the lock for writing and compacting the samples of a user. */
const getSampleLockName = ({ teamId, environment }: Tenant, userId: string): string =>
  `samples/${teamId}/${environment}/${userId}`;

/**
 * Serializes writing and compacting the samples of a user until the transaction ends. One lock for all streams of a
 * user rules out deadlocks. The statement is deferred and sent with the next one.
 */
export const lockSamples = (work: Work, userId: string): void =>
  defer(
    work,
    deferrableCall('pg_advisory_xact_lock(hashtextextended(?, 0))', getSampleLockName(work.tenant, userId)),
  );

const selectDevices = ({ tx, tenant }: Work) =>
  tx
    .selectFrom('wearable_device')
    .selectAll()
    .where('team_id', '=', tenant.teamId)
    .where('environment', '=', tenant.environment);

export const findDevice = (work: Work, userId: string, key: Buffer): Promise<DeviceRow | undefined> =>
  selectDevices(work).where('user_id', '=', userId).where('device_key', '=', key).executeTakeFirst();

/** Oldest first. */
export const listDevices = (work: Work, userId: string, limit: number): Promise<DeviceRow[]> =>
  selectDevices(work)
    .where('user_id', '=', userId)
    .orderBy('created_at')
    .orderBy('id')
    .limit(limit)
    .execute();

export const findDeviceById = (work: Work, userId: string, id: string): Promise<DeviceRow | undefined> =>
  selectDevices(work).where('id', '=', id).where('user_id', '=', userId).executeTakeFirst();

export const insertDevice = (
  { tx, tenant, now }: Work,
  device: NewOriginRow<'wearable_device'>,
): Promise<DeviceRow> =>
  tx
    .insertInto('wearable_device')
    .values({ ...tenantColumns(tenant), ...device, created_at: now, updated_at: now })
    .returningAll()
    .executeTakeFirstOrThrow();

export async function updateDevice(
  { tx, tenant, now }: Work,
  id: string,
  change: Pick<DeviceRow, 'source_type' | 'private'>,
): Promise<void> {
  await tx
    .updateTable('wearable_device')
    .set({ ...change, updated_at: now })
    .where('team_id', '=', tenant.teamId)
    .where('environment', '=', tenant.environment)
    .where('id', '=', id)
    .execute();
}

const selectSources = ({ tx, tenant }: Work) =>
  tx
    .selectFrom('wearable_source')
    .selectAll()
    .where('team_id', '=', tenant.teamId)
    .where('environment', '=', tenant.environment);

export const findSource = (work: Work, userId: string, key: Buffer): Promise<SourceRow | undefined> =>
  selectSources(work).where('user_id', '=', userId).where('origin_key', '=', key).executeTakeFirst();

const sourcesQuery = precompileQuery(
  (tx, { teamId, environment, ids }: Tenant & { ids: readonly number[] }) =>
    tx
      .selectFrom('wearable_source')
      .selectAll()
      .where('team_id', '=', teamId)
      .where('environment', '=', environment)
      .where(sql<boolean>`id = any(${ids}::integer[])`)
      .orderBy(sql`coalesce(number, id)`),
);

/** Oldest first. */
export const listSources = ({ tx, tenant }: Work, ids: readonly number[]): Promise<SourceRow[]> =>
  sourcesQuery(tx, { ...tenant, ids });

/** The sources of the samples that were measured in a workout. */
export async function listWorkoutSourceIds(work: Work, userId: string, workoutId: string): Promise<number[]> {
  const rows = await selectSources(work)
    .where('user_id', '=', userId)
    .where('workout_id', '=', workoutId)
    .execute();
  return rows.map(({ id }) => id);
}

/** Callers see the id, so it is scrambled; `number` gives the order. */
export async function insertSource(
  { tx, tenant, cipher, now }: Work,
  source: NewOriginRow<'wearable_source'>,
): Promise<SourceRow> {
  const number = sql<number>`nextval('wearable_source_id_seq')`;
  const taken = await tx.selectNoFrom(number.as('number')).executeTakeFirstOrThrow();
  const key = scrambleKeyOf(cipher, 'wearable_source_id_seq');
  const id = firstPublicId(sql`${taken.number}::bigint`, { key, size: 1 });
  return tx
    .insertInto('wearable_source')
    .values({ ...tenantColumns(tenant), ...source, id, number: taken.number, created_at: now })
    .returningAll()
    .executeTakeFirstOrThrow();
}

export async function updateSource(
  { tx, tenant }: Work,
  id: number,
  change: Pick<SourceRow, 'workout_id' | 'sport'>,
): Promise<void> {
  await tx
    .updateTable('wearable_source')
    .set(change)
    .where('team_id', '=', tenant.teamId)
    .where('environment', '=', tenant.environment)
    .where('id', '=', id)
    .execute();
}
