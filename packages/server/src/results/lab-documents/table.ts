import type { TenantColumns } from '../../platform/db/tenant-rows.ts';

declare module '../../platform/db/database.ts' {
  interface Database {
    lab_document: TenantColumns & {
      id: string;
      /** The report that brought it; through it, the order. */
      incoming_result_id: string;
      /** Sealed: `LabDocumentDescription` as JSON. */
      description: Buffer;
      /** Sealed: the file; null for a reference. */
      content: Buffer | null;
      created_at: Date;
    };
  }
}
