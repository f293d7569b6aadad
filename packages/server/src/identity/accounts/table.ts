/** How a member signed in. `link` is a one-time link of the operator. */
export type SignInMethod = 'password' | 'passkey' | 'sso' | 'link';

declare module '../../platform/db/database.ts' {
  interface Database {
    member_session: {
      id: string;
      org_id: string;
      member_id: string;
      digest: Buffer;
      method: SignInMethod;
      address: string;
      user_agent: string | null;
      created_at: Date;
      authenticated_at: Date;
      last_seen_at: Date;
      expires_at: Date;
    };
    member_password: { member_id: string; hash: string; changed_at: Date };
    sign_in_attempt: { key: Buffer; count: number; started_at: Date };
  }
}
