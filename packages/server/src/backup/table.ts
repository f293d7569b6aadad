export type BackupTaskKind = 'backup' | 'verify';

declare module '../platform/db/database.ts' {
  interface Database {
    backup_task: {
      kind: BackupTaskKind;
      due_at: Date;
      lease_id: string | null;
      leased_until: Date | null;
      tries: number;
      working_on: string | null;
      succeeded_at: Date | null;
      succeeded_name: string | null;
      failed_at: Date | null;
      failure: string | null;
    };
  }
}
