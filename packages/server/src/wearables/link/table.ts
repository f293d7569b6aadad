import type { TenantColumns } from '../../platform/db/tenant-rows.ts';

declare module '../../platform/db/database.ts' {
  interface Database {
    link_token: TenantColumns & {
      digest: Buffer;
      /** Its row among the issued tokens; null in tokens of earlier versions, which no longer work. */
      token_id: string | null;
      user_id: string;
      provider: string | null;
      filter_on_providers: string[] | null;
      /** The redirect URL, encrypted. */
      private: Buffer | null;
      /** The redirect URL in plain text, in tokens of earlier versions. */
      redirect_url: string | null;
      redirects_errors: boolean;
      redirects_close: boolean;
      expires_at: Date;
      used_at: Date | null;
      created_at: Date;
    };
    link_attempt: TenantColumns & {
      digest: Buffer;
      token_digest: Buffer;
      provider: string;
      private: Buffer;
      browser: Buffer | null;
      expires_at: Date;
    };
    link_code: TenantColumns & {
      digest: Buffer;
      /** Its row among the issued tokens; null in codes of earlier versions, which cannot be exchanged. */
      token_id: string | null;
      user_id: string;
      expires_at: Date;
    };
  }
}
