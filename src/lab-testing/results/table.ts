import type { TenantColumns } from '../../platform/db/tenant-rows.ts';
import type { Interpretation } from '../orders/schema.ts';
import type { z } from 'zod';

declare module '../../platform/db/database.ts' {
  interface Database {
    lab_result: TenantColumns & {
      order_id: string;
      version: number;
      status: 'partial' | 'final' | 'corrected';
      interpretation: z.output<typeof Interpretation>;
      /** Sealed: the report as the laboratory gave it, see report.ts. */
      document: Buffer;
      /** Sealed: what of the answer never changes, see printed-report.ts; null in rows of before. */
      printed: Buffer | null;
      reported_at: Date;
      created_at: Date;
    };
  }
}
