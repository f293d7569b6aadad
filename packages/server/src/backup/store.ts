import { sql, type Selectable, type Updateable } from 'kysely';
import type { Database, Tx } from '../platform/db/database.ts';
import type { BackupTaskKind } from './table.ts';

type BackupTaskTable = Database['backup_task'];
export type BackupTaskRow = Selectable<BackupTaskTable>;

export interface BackupLease {
  readonly kind: BackupTaskKind;
  readonly leaseId: string;
  readonly tries: number;
  /** The backup that an earlier run did not finish. */
  readonly unfinished: string | null;
  readonly lastSuccessAt: Date | null;
}

interface TaskClaim {
  readonly now: Date;
  readonly until: Date;
  readonly leaseId: string;
  readonly unbelievable: Date;
}

/** Creates the task; an existing one becomes due earlier if the schedule says so, never later. */
export async function ensureTask(tx: Tx, kind: BackupTaskKind, dueAt: Date): Promise<void> {
  await sql`insert into backup_task (kind, due_at) values (${kind}, ${dueAt})
    on conflict (kind) do update set due_at = least(backup_task.due_at, excluded.due_at)`.execute(tx);
}

/** Claims the task if it is due and no other process holds it. */
export async function claimTask(
  tx: Tx,
  kind: BackupTaskKind,
  { now, until, leaseId, unbelievable }: TaskClaim,
): Promise<BackupLease | undefined> {
  const row = await tx
    .updateTable('backup_task')
    .set({ lease_id: leaseId, leased_until: until, tries: sql<number>`tries + 1` })
    .where('kind', '=', kind)
    .where('due_at', '<=', now)
    .where(({ eb, or }) =>
      or([
        eb('leased_until', 'is', null),
        eb('leased_until', '<=', now),
        eb('leased_until', '>', unbelievable),
      ]),
    )
    .returning(['tries', 'working_on', 'succeeded_at'])
    .executeTakeFirst();
  return (
    row && { kind, leaseId, tries: row.tries, unfinished: row.working_on, lastSuccessAt: row.succeeded_at }
  );
}

/** Changes the task if the lease is still ours; returns whether it was. */
export async function updateTask(
  tx: Tx,
  { kind, leaseId }: Pick<BackupLease, 'kind' | 'leaseId'>,
  change: Updateable<BackupTaskTable>,
): Promise<boolean> {
  const { numUpdatedRows } = await tx
    .updateTable('backup_task')
    .set(change)
    .where('kind', '=', kind)
    .where('lease_id', '=', leaseId)
    .executeTakeFirstOrThrow();
  return numUpdatedRows > 0n;
}

export const listTasks = (tx: Tx): Promise<BackupTaskRow[]> =>
  tx.selectFrom('backup_task').selectAll().orderBy('kind').execute();
