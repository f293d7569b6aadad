import { z } from 'zod';
import { OAUTH_PROVIDERS } from '../../provider-settings/provider-settings.ts';
import { PageCursor } from '../../platform/http/page.ts';
import { Timestamp } from '../../platform/timestamp.ts';
import { ProviderName } from './schema.ts';

export const OAuthProvider = z.enum(OAUTH_PROVIDERS).meta({ id: 'OAuthProviders' });

/** The maximum number of users in one request. */
const BULK_USERS_MAX = 1000;
export const EXPORT_PAGE_SIZE = 100;

const Token = z.string().min(1).max(8000);
const ConnectionRecipe = z
  .object({
    user_id: z.guid().describe('The id of the user.'),
    access_token: Token.describe('The OAuth access token.'),
    refresh_token: z.string().max(8000).describe('The OAuth refresh token; empty if there is none.'),
    provider_id: z.string().max(500).describe('The id of the user at the provider; empty if unknown.'),
    expires_at: z
      .int()
      .min(0)
      .max(253_402_300_799)
      .describe('When the access token expires, in seconds since 1970; 0 if it does not.'),
    oauth_scopes: z
      .array(z.string().max(200))
      .max(100)
      .nullish()
      .describe('The granted scopes; if empty or absent, all are assumed.'),
  })
  .meta({ id: 'ConnectionRecipe' });
export type ConnectionRecipe = z.output<typeof ConnectionRecipe>;

const UserIds = z.array(z.guid()).min(1).max(BULK_USERS_MAX).describe('The ids of the users.');
const waitForCompletion = z
  .boolean()
  .default(false)
  .describe('Wait up to 30 seconds for the operation to finish and return 200; otherwise return 202.');

export const BulkImportBody = z
  .object({
    provider: OAuthProvider.describe('The provider of the connections.'),
    connections: z.array(ConnectionRecipe).min(1).max(BULK_USERS_MAX).describe('One grant per user.'),
    wait_for_completion: waitForCompletion,
  })
  .meta({ id: 'BulkImportConnectionsBody' });
export const BulkImportResponse = z
  .object({ user_ids_imported: z.array(z.guid()), user_ids_failed: z.array(z.guid()) })
  .meta({ id: 'BulkImportConnectionsResponse' });

export const BulkTriggerBody = z
  .object({
    user_ids: UserIds,
    provider: OAuthProvider.describe('The provider of the connections.'),
    wait_for_completion: waitForCompletion,
  })
  .meta({ id: 'BulkTriggerHistoricalPullBody' });

export const BulkExportBody = z
  .object({
    user_ids: z
      .array(z.guid())
      .max(BULK_USERS_MAX)
      .nullish()
      .describe('Export only these users; all users if absent.'),
    provider: OAuthProvider.describe('The provider of the connections.'),
    next_token: z
      .string()
      .max(200)
      .nullish()
      .describe('The next_token of the previous response, for the next page.'),
  })
  .meta({ id: 'BulkExportConnectionsBody' });
export const BulkExportResponse = z
  .object({ data: z.array(ConnectionRecipe), next_token: z.string().nullable() })
  .meta({ id: 'BulkExportConnectionsResponse' });

export const BulkPauseBody = z
  .object({ user_ids: UserIds, provider: OAuthProvider.describe('The provider of the connections.') })
  .meta({ id: 'BulkPauseConnectionsBody' });

export const BulkOpQuery = z.object({
  next_cursor: PageCursor,
  page_size: z.int().min(0).max(50).default(10),
});

const BulkOp = z
  .object({
    type: z.enum(['link_bulk_import', 'link_bulk_historical_trigger']),
    status: z.enum(['in_progress', 'success', 'failure', 'aborted']),
    provider: ProviderName,
    pending: z.int(),
    processed: z.int(),
    started_at: Timestamp,
    ended_at: Timestamp.nullable(),
  })
  .meta({ id: 'BulkOp' });
export type BulkOp = z.input<typeof BulkOp>;
export const BulkOpsResponse = z
  .object({ data: z.array(BulkOp), next_cursor: z.string().nullable() })
  .meta({ id: 'BulkOpsResponse' });
