import type { ColumnType, Generated } from 'kysely';
import type { TenantColumns } from '../../platform/db/tenant-rows.ts';

export const PRINCIPAL_KINDS = [
  'api_key',
  'access_token',
  'break_glass',
  'user',
  'management_key',
  'member',
  'patient_link',
] as const;
export type PrincipalKind = (typeof PRINCIPAL_KINDS)[number];

declare module '../../platform/db/database.ts' {
  interface Database {
    /** Append-only. */
    access_log: TenantColumns & {
      place: Generated<number>;
      at: Date;
      kind: PrincipalKind;
      key_id: string;
      operation: string;
      method: string;
      status: number;
      about_user: string | null;
      about_order: string | null;
      about: ColumnType<Record<string, string> | null, string | null, never>;
      address: string;
      request_id: string;
      assistant_tool: string | null;
    };
    access_log_seal: TenantColumns & {
      sealed_to: number;
      removed_to: Generated<number>;
      removed_seal: Generated<number>;
      /** Encrypts positions in the audit entries of seals; see seal-record.ts. */
      position_key: Generated<Buffer>;
    };
  }
}
