import type { ColumnType, Generated } from 'kysely';
import type { DirectoryRole } from '../roles/roles.ts';

declare module '../../platform/db/database.ts' {
  interface Database {
    directory_token: {
      id: string;
      org_id: string;
      label: string;
      prefix: string;
      digest: Buffer;
      created_by: string | null;
      created_at: Date;
      last_used_at: Date | null;
      expires_at: Date | null;
      deleted_at: Date | null;
    };
    directory_user: {
      org_id: string;
      member_id: string;
      is_provisioned: boolean;
      user_name: string | null;
      external_id: string | null;
      formatted_name: string | null;
      given_name: string | null;
      family_name: string | null;
      updated_at: Date;
    };
    directory_group: {
      org_id: string;
      id: string;
      display_name: string;
      external_id: string | null;
      grants: ColumnType<readonly DirectoryRole[], string | undefined, string>;
      version: Generated<number>;
      created_at: Date;
      updated_at: Date;
    };
    directory_group_member: { org_id: string; group_id: string; member_id: string };
  }
}
