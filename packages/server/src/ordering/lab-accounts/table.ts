import type { TenantColumns } from '../../platform/db/tenant-rows.ts';
import type { LabSlug } from '../catalog/schema.ts';
import type { DelegatedFlow, LabAccountStatus } from './schema.ts';

declare module '../../platform/db/database.ts' {
  interface Database {
    lab_account: {
      id: string;
      org_id: string;
      environment: string;
      lab: LabSlug;
      status: LabAccountStatus;
      delegated_flow: DelegatedFlow;
      provider_account_id: string;
      account_name: string | null;
      default_clinical_notes: string | null;
      business_units: string[] | null;
      allowed_billing: Readonly<Record<string, readonly string[]>>;
      created_at: Date;
      updated_at: Date;
    };
    lab_account_team: TenantColumns & { lab_account_id: string; org_id: string };
  }
}
