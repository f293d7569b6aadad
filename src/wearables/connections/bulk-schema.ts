import { z } from 'zod';
import { OAUTH_PROVIDERS } from '../../provider-settings/provider-settings.ts';
import { ProviderName } from './schema.ts';

export const OAuthProvider = z.enum(OAUTH_PROVIDERS).meta({ id: 'OAuthProviders' });

/** What one request may be about. */
export const BULK_MAX = 1000;
export const EXPORT_PAGE = 100;

const Token = z.string().min(1).max(8000);
const Recipe = z
  .object({
    user_id: z.guid(),
    access_token: Token,
    refresh_token: z.string().max(8000),
    provider_id: z.string().max(500).describe('The user, as the provider calls them.'),
    expires_at: z.int().min(0).max(253_402_300_799).describe('Seconds since 1970.'),
    oauth_scopes: z.array(z.string().max(200)).max(100).nullish(),
  })
  .meta({ id: 'ConnectionRecipe' });
export type Recipe = z.output<typeof Recipe>;

const Users = z.array(z.guid()).min(1).max(BULK_MAX);
const waits = z.boolean().default(false).describe('Answered with 200 when all is done, if it is soon.');

export const BulkImport = z
  .object({
    provider: OAuthProvider,
    connections: z.array(Recipe).min(1).max(BULK_MAX),
    wait_for_completion: waits,
  })
  .meta({ id: 'BulkImportConnectionsBody' });
export const BulkImported = z
  .object({ user_ids_imported: z.array(z.guid()), user_ids_failed: z.array(z.guid()) })
  .meta({ id: 'BulkImportConnectionsResponse' });

export const BulkTrigger = z
  .object({ user_ids: Users, provider: OAuthProvider, wait_for_completion: waits })
  .meta({ id: 'BulkTriggerHistoricalPullBody' });

export const BulkExport = z
  .object({
    user_ids: z.array(z.guid()).max(BULK_MAX).nullish(),
    provider: OAuthProvider,
    next_token: z.string().max(200).nullish(),
  })
  .meta({ id: 'BulkExportConnectionsBody' });
export const BulkExported = z
  .object({ data: z.array(Recipe), next_token: z.string().nullable() })
  .meta({ id: 'BulkExportConnectionsResponse' });

export const BulkPause = z
  .object({ user_ids: Users, provider: OAuthProvider })
  .meta({ id: 'BulkPauseConnectionsBody' });

export const BulkOpQuery = z.object({
  next_cursor: z.string().max(200).nullish(),
  page_size: z.int().min(0).max(50).default(10),
});

const Moment = z.iso.datetime({ offset: true });
const BulkOp = z
  .object({
    type: z.enum(['link_bulk_import', 'link_bulk_historical_trigger']),
    status: z.enum(['in_progress', 'success', 'failure', 'aborted']),
    provider: ProviderName,
    pending: z.int(),
    processed: z.int(),
    started_at: Moment,
    ended_at: Moment.nullable(),
  })
  .meta({ id: 'BulkOp' });
export type BulkOp = z.input<typeof BulkOp>;
export const BulkOps = z
  .object({ data: z.array(BulkOp), next_cursor: z.string().nullable() })
  .meta({ id: 'BulkOpsResponse' });
