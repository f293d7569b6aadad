import type { TenantColumns } from '../../platform/db/tenant-rows.ts';
import type { Interpretation } from '../../ordering/orders/schema.ts';
import type { z } from 'zod';

declare module '../../platform/db/database.ts' {
  interface Database {
    lab_result: TenantColumns & {
      order_id: string;
      version: number;
      status: 'partial' | 'final' | 'corrected';
      interpretation: z.output<typeof Interpretation>;
      /** Sealed: the report, in rows of earlier releases; null where `printed` contains all of it. */
      document: Buffer | null;
      /** Sealed: the serialized report, see serialized-report.ts; null in the oldest rows. */
      printed: Buffer | null;
      reported_at: Date;
      created_at: Date;
    };
  }
}
