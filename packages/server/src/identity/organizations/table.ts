import type { ColumnType, Generated } from 'kysely';
import type { DirectoryRole, StoredRole } from '../roles/roles.ts';

export type MemberRole = 'org_admin' | 'team_admin' | 'no_role';
export type DomainStatus = 'pending' | 'verified' | 'failed';

declare module '../../platform/db/database.ts' {
  interface Database {
    organization_member: {
      id: string;
      org_id: string;
      email: string;
      name: string;
      role: MemberRole;
      team_ids: string[];
      is_owner: Generated<boolean>;
      roles: ColumnType<readonly StoredRole[], string | undefined, string>;
      /** What the groups of the directory grant. */
      directory_roles: ColumnType<readonly DirectoryRole[], string | undefined, string>;
      created_at: Date;
      /** Null: the member has access. */
      deactivated_at: ColumnType<Date | null, Date | null | undefined, Date | null>;
    };
    organization_invite: {
      id: string;
      org_id: string;
      email: string;
      role: MemberRole;
      team_ids: string[];
      is_owner: Generated<boolean>;
      roles: ColumnType<readonly StoredRole[], string | undefined, string>;
      digest: Buffer;
      created_by: string | null;
      invited_at: Date;
      resent_at: Date | null;
      expires_at: Date;
    };
    organization_domain: {
      id: string;
      org_id: string;
      domain: string;
      token: string;
      status: DomainStatus;
      checked_at: Date | null;
      verified_at: Date | null;
      created_at: Date;
    };
  }
}
