import type { Address } from '../../people/schema.ts';
import type { TenantColumns } from '../../platform/db/tenant-rows.ts';
import type { ExternalProvider } from './directory/payors.ts';

declare module '../../platform/db/database.ts' {
  interface Database {
    health_insurance: TenantColumns & {
      id: string;
      user_id: string;
      is_primary: boolean;
      document: Buffer;
      created_at: Date;
      replaced_at: Date | null;
    };
    team_payor: TenantColumns & {
      payor_code: string;
      name: string;
      address: Address;
      provider: ExternalProvider | null;
      provider_payor_id: string | null;
      created_at: Date;
    };
  }
}
