import type { TenantColumns } from '../platform/db/tenant-rows.ts';

declare module '../platform/db/database.ts' {
  interface Database {
    mail: TenantColumns & {
      key: string;
      status: MailStatus;
      /** Sealed; null when it was sent or has failed. */
      message: Buffer | null;
      attempts: number;
      due_at: Date;
      failure: string | null;
      created_at: Date;
      settled_at: Date | null;
    };
  }
}

export type MailStatus = 'waiting' | 'sent' | 'failed';
