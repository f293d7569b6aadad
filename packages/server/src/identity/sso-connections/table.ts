import type { ClientAuthenticationMethod } from '../../adapters/identity-provider/port.ts';
import type { AssignableRole } from '../roles/roles.ts';

/** Who administers an identity provider cannot make administrators. */
export type DefaultRole = Exclude<AssignableRole, 'administrator'>;

declare module '../../platform/db/database.ts' {
  interface Database {
    sso_connection: {
      id: string;
      org_id: string;
      name: string;
      issuer: string;
      client_id: string;
      client_authentication: ClientAuthenticationMethod;
      client_secret: Buffer | null;
      domains: string[];
      is_active: boolean;
      is_enforced: boolean;
      default_role: DefaultRole | null;
      created_at: Date;
      changed_at: Date;
    };
    sso_identity: {
      connection_id: string;
      subject: string;
      org_id: string;
      member_id: string | null;
      created_at: Date;
    };
  }
}
