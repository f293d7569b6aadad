import { sql } from 'kysely';
import { DAY, later } from '../../platform/clock.ts';
import type { Work } from '../../platform/work.ts';
import './table.ts';

/** How long, and how many of a connection: pulls look back a month, and a notification names a few records. */
const KEPT_MS = 30 * DAY;
const RECORDS_MAX = 1000;

/** A record of a provider, by the resource and the provider's id. */
interface RecordName {
  readonly resource: string;
  readonly key: string;
}

/** Remembers deleted records of a connection, and forgets those that are too old or too many. */
export async function insertDeletedRecords(
  { tx, tenant, now }: Work,
  connectionId: string,
  records: readonly RecordName[],
): Promise<void> {
  const [resources, keys] = [records.map(({ resource }) => resource), records.map(({ key }) => key)];
  await sql`
    insert into deleted_record (team_id, environment, connection_id, resource, key, deleted_at)
    select distinct ${tenant.teamId}::uuid, ${tenant.environment}, ${connectionId}::uuid, r.resource, r.key,
      ${now}::timestamptz
    from unnest(${resources}::text[], ${keys}::text[]) as r (resource, key)
    on conflict (team_id, environment, connection_id, resource, key)
      do update set deleted_at = excluded.deleted_at`.execute(tx);
  await sql`
    delete from deleted_record where team_id = ${tenant.teamId} and environment = ${tenant.environment}
      and connection_id = ${connectionId} and (deleted_at <= ${later(now, -KEPT_MS)} or (resource, key) in (
        select resource, key from deleted_record
        where team_id = ${tenant.teamId} and environment = ${tenant.environment} and connection_id = ${connectionId}
        order by deleted_at desc, resource, key offset ${RECORDS_MAX}))`.execute(tx);
}

/** Which of these ids are of deleted records, by resource. */
export async function listDeletedRecords(
  { tx, tenant, now }: Work,
  connectionId: string,
  keys: readonly string[],
): Promise<RecordName[]> {
  if (keys.length === 0) return [];
  return tx
    .selectFrom('deleted_record')
    .select(['resource', 'key'])
    .where('team_id', '=', tenant.teamId)
    .where('environment', '=', tenant.environment)
    .where('connection_id', '=', connectionId)
    .where('key', '=', sql<string>`any(${[...keys]}::text[])`)
    .where('deleted_at', '>', later(now, -KEPT_MS))
    .execute();
}
