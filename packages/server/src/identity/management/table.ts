import type { ColumnType, Generated } from 'kysely';
import type { TenantColumns } from '../../platform/db/tenant-rows.ts';
import type { Environment, Region } from '../../platform/tenant.ts';

export type ManagementRole = 'org_admin' | 'team_admin';
/** The tokens that a key issues, and that work without it. */
export type IssuedTokenKind =
  | 'access'
  | 'sign_in'
  | 'portal'
  | 'link'
  | 'link_code'
  | 'booking'
  | 'results'
  | 'app_access'
  | 'app_refresh';
type AuditJson = ColumnType<unknown, string | null, string | null>;

declare module '../../platform/db/database.ts' {
  interface Database {
    organization: { id: string; name: string; plan: string; created_at: Date };
    team: {
      id: string;
      org_id: string;
      name: string;
      region: Region;
      integration_team_id: string | null;
      created_at: Date;
      deleted_at: Date | null;
    };
    api_key: {
      id: string;
      team_id: string;
      environment: Environment;
      label: string;
      prefix: string;
      digest: Buffer;
      created_at: Date;
      last_used_at: Date | null;
      deleted_at: Date | null;
      /** On the clock of the environment. */
      expires_at: Date | null;
      read_only: boolean;
      areas: string[] | null;
      assistants: boolean;
      replaced_by: string | null;
      expiring_told_at: Date | null;
      expired_told_at: Date | null;
    };
    management_key: {
      id: string;
      org_id: string;
      label: string;
      role: ManagementRole;
      prefix: string;
      digest: Buffer;
      created_by: string | null;
      created_at: Date;
      last_used_at: Date | null;
      deleted_at: Date | null;
      /** In system time. */
      expires_at: Date | null;
      replaced_by: string | null;
    };
    management_key_team: { management_key_id: string; team_id: string };
    audit_log: {
      id: string;
      org_id: string;
      team_id: string | null;
      actor: string;
      action: string;
      subject: string;
      before: AuditJson;
      after: AuditJson;
      address: string | null;
      request_id: string | null;
      created_at: Date;
      /** The hash chain; a trigger sets these three columns. */
      position: Generated<number>;
      previous: Generated<Buffer>;
      digest: Generated<Buffer>;
    };
    break_glass: {
      team_id: string;
      environment: Environment;
      id: string;
      digest: Buffer;
      reason: string;
      opened_by: string;
      /** The privileges with which it was opened; null in openings of earlier versions. */
      opener_privileges: string | null;
      opened_at: Date;
      ends_at: Date;
      ended_at: Date | null;
    };
    issued_token: TenantColumns & {
      id: string;
      kind: IssuedTokenKind;
      /** Null: it is about the whole team. */
      user_id: string | null;
      /** The order that it opens; only of the kinds `booking` and `results`. */
      order_id: string | null;
      api_key_id: string | null;
      management_key_id: string | null;
      member_id: string | null;
      /** The token that issued it. */
      parent_id: string | null;
      /** In system time. */
      created_at: Date;
      /** On the clock of its kind. */
      expires_at: Date;
      /** In system time: when it was revoked, or used up. */
      ended_at: Date | null;
    };
    audit_head: { org_id: string; position: number; digest: Buffer };
  }
}
