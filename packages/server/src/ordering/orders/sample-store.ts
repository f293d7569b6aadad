import { sql } from 'kysely';
import type { Work } from '../../platform/work.ts';
import './table.ts';

/** Serializes work on one sample id of a tenant until this work ends, so that only the first finds it free. */
export async function lockSampleId({ tx, tenant }: Work, sampleId: string): Promise<void> {
  const lock = `sample/${tenant.teamId}/${tenant.environment}/${sampleId}`;
  await sql`select pg_advisory_xact_lock(hashtextextended(${lock}, 0))`.execute(tx);
}

/** Whether an order at this laboratory has the sample id, including orders of deleted users. */
export async function isSampleIdTaken(
  { tx, tenant }: Work,
  { labId, sampleId }: { labId: number; sampleId: string },
): Promise<boolean> {
  const row = await tx
    .selectFrom('lab_order')
    .select('id')
    .where('team_id', '=', tenant.teamId)
    .where('environment', '=', tenant.environment)
    .where('lab_id', '=', labId)
    .where('sample_id', '=', sampleId)
    .executeTakeFirst();
  return row !== undefined;
}
