/** How a member signed in. `link` is a one-time link of the operator. */
export type SignInMethod = 'password' | 'passkey' | 'sso' | 'link';

/** What a member shows after a password or a link. */
export type SecondFactorMethod = 'totp' | 'recovery_code' | 'passkey';

/**
 * What a one-time link is for: `first_owner` makes its holder the owner of an organization without one, `sign_in` is of
 * the operator, `password_reset` was e-mailed to the member.
 */
export type LinkPurpose = 'first_owner' | 'sign_in' | 'password_reset';

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
    member_link: {
      id: string;
      org_id: string;
      member_id: string | null;
      purpose: LinkPurpose;
      digest: Buffer;
      created_at: Date;
      expires_at: Date;
      used_at: Date | null;
    };
    member_email_change: {
      member_id: string;
      org_id: string;
      email: string;
      digest: Buffer;
      created_at: Date;
      expires_at: Date;
    };
    member_pre_session: {
      id: string;
      org_id: string;
      member_id: string;
      digest: Buffer;
      method: 'password' | 'link';
      created_at: Date;
      expires_at: Date;
    };
    organization_sign_in: { org_id: string; require_second_factor: boolean; changed_at: Date };
    sign_in_attempt: { key: Buffer; count: number; started_at: Date };
  }
}
