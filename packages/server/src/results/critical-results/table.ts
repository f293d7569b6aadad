import type { TenantColumns } from '../../platform/db/tenant-rows.ts';
import type { NotificationChannel } from './channels.ts';
import type { CriticalResultStatus } from './status.ts';

declare module '../../platform/db/database.ts' {
  interface Database {
    critical_result: TenantColumns & {
      id: string;
      order_id: string;
      /** The version of the order's results. */
      version: number;
      status: CriticalResultStatus;
      /** Sealed: see CriticalResultPrivate in record.ts. */
      private: Buffer;
      reported_at: Date;
      detected_at: Date;
      escalation_due_at: Date;
      escalated_at: Date | null;
      acknowledged_at: Date | null;
      created_at: Date;
      updated_at: Date;
    };
    critical_result_notification: TenantColumns & {
      critical_result_id: string;
      id: string;
      channel: NotificationChannel;
      /** Sealed: see CriticalNotificationPrivate in record.ts. */
      private: Buffer;
      notified_at: Date;
      read_back: boolean | null;
      read_back_at: Date | null;
      created_at: Date;
    };
  }
}
