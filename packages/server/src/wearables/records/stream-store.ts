import { sql } from 'kysely';
import type { Work } from '../../platform/work.ts';
import './table.ts';

const PLACE = 'workout_stream.columns';

interface NewWorkoutStream {
  readonly workoutId: string;
  readonly points: number;
  readonly columns: Buffer;
}

/** Upserts a stream; undefined if it is unchanged. */
export async function putStream(
  { tx, tenant, now, cipher }: Work,
  { workoutId, points, columns }: NewWorkoutStream,
): Promise<'created' | 'updated' | undefined> {
  const digest = cipher.blindIndex(columns.toString('base64'));
  const { rows } = await sql<{ change: 'created' | 'updated' }>`
    insert into workout_stream as s
      (team_id, environment, workout_id, points, columns, digest, created_at, updated_at)
    values (${tenant.teamId}, ${tenant.environment}, ${workoutId}, ${points}, ${cipher.sealChunk(columns, PLACE)},
      ${digest}, ${now}, ${now})
    on conflict (team_id, environment, workout_id) do update set
      points = excluded.points, columns = excluded.columns, digest = excluded.digest,
      updated_at = greatest(s.updated_at, excluded.updated_at)
    where s.digest <> excluded.digest
    returning case when s.xmax = 0 then 'created' else 'updated' end as change
  `.execute(tx);
  return rows[0]?.change;
}

export async function findStream(
  { tx, tenant, cipher }: Work,
  workoutId: string,
): Promise<Buffer | undefined> {
  const row = await tx
    .selectFrom('workout_stream')
    .select('columns')
    .where('team_id', '=', tenant.teamId)
    .where('environment', '=', tenant.environment)
    .where('workout_id', '=', workoutId)
    .executeTakeFirst();
  return row && cipher.openChunk(row.columns, PLACE);
}
