import { sql } from 'kysely';
import type { Tx } from '../../platform/db/database.ts';
import type { Environment } from '../../platform/tenant.ts';
import type {} from './table.ts';

/** A lab test that awaits the operator's approval and cannot be ordered yet. */
export interface PendingLabTest {
  readonly id: string;
  readonly teamId: string;
  readonly environment: Environment;
  readonly name: string;
  readonly labSlug: string;
  readonly createdAt: Date;
}

export const selectPendingLabTests = (tx: Tx): Promise<PendingLabTest[]> =>
  tx
    .selectFrom('lab_test')
    .innerJoin('lab', 'lab.id', 'lab_test.lab_id')
    .where('lab_test.status', '=', 'pending_approval')
    .orderBy('lab_test.created_at')
    .orderBy('lab_test.id')
    .select([
      'lab_test.id',
      'lab_test.team_id as teamId',
      sql<Environment>`lab_test.environment`.as('environment'),
      'lab_test.name',
      'lab.slug as labSlug',
      'lab_test.created_at as createdAt',
    ])
    .execute();
