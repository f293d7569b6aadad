import type { TenantColumns } from '../../platform/db/tenant-rows.ts';

declare module '../../platform/db/database.ts' {
  interface Database {
    user_app_key: TenantColumns & {
      /** SPKI, as PEM. */
      public_key: string;
      /** PKCS #8 as PEM, sealed. */
      private: Buffer;
      created_at: Date;
    };
  }
}
