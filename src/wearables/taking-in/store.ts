import type { Selectable } from 'kysely';
import type { Database } from '../../platform/db/database.ts';
import type { Work } from '../../platform/work.ts';
import '../../users/users.ts';

export type Holder = Pick<
  Selectable<Database['app_user']>,
  'id' | 'client_user_id' | 'ingestion_start' | 'ingestion_end'
>;

/** The user, who cannot be erased before this work is done; undefined for one who is not there or deleted. */
export const holdUser = ({ tx, tenant }: Work, userId: string): Promise<Holder | undefined> =>
  tx
    .selectFrom('app_user')
    .select(['id', 'client_user_id', 'ingestion_start', 'ingestion_end'])
    .where('team_id', '=', tenant.teamId)
    .where('environment', '=', tenant.environment)
    .where('id', '=', userId)
    .where('deleted_at', 'is', null)
    .forKeyShare()
    .executeTakeFirst();
