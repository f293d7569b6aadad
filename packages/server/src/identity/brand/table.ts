import type { Generated } from 'kysely';
import type { TenantColumns } from '../../platform/db/tenant-rows.ts';
import type { LogoMediaType } from './logo-image.ts';

type LogoSource = 'url' | 'upload';
type LogoState = 'waiting' | 'stored' | 'failed';

declare module '../../platform/db/database.ts' {
  interface Database {
    brand_logo: TenantColumns & {
      source: LogoSource;
      /** The logo_url that is fetched, or that an upload replaced. */
      source_url: string | null;
      state: LogoState;
      media_type: LogoMediaType | null;
      width: number | null;
      height: number | null;
      /** The size in bytes before sealing. */
      size: number | null;
      /** Sealed. */
      content: Buffer | null;
      attempts: Generated<number>;
      failure: string | null;
      next_attempt_at: Date | null;
      stored_at: Date | null;
    };
  }
}
