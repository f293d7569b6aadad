import type { ColumnType } from 'kysely';
import type { TenantColumns } from '../../platform/db/tenant-rows.ts';

export type EhrModality = 'feature_embed' | 'link_out';
interface AllowedOrigin {
  readonly origin: string;
  readonly session_continuation_url: string | null;
}

declare module '../../platform/db/database.ts' {
  interface Database {
    ehr_configuration: {
      org_id: string;
      slug: string;
      modalities: EhrModality[];
      origin_configs: ColumnType<AllowedOrigin[], string, string>;
      updated_at: Date;
    };
    ehr_member: {
      id: string;
      org_id: string;
      integration_member_id: string;
      name: string;
      email: string;
      avatar: string | null;
      team_ids: string[] | null;
      created_at: Date;
      updated_at: Date;
    };
    ehr_pipeline: TenantColumns & {
      id: string;
      ehr_type: 'fhir' | 'hint_health';
      type: 'native' | 'ehr_linked';
      base_url: string;
      authentication: Buffer;
      allowed_mappers: string[] | null;
      created_at: Date;
      updated_at: Date;
    };
  }
}
