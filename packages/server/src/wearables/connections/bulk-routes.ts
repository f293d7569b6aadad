import { z } from 'zod';
import type { App } from '../../app.ts';
import { readPage } from '../../platform/http/page.ts';
import { invalidField } from '../../platform/errors.ts';
import type { Http } from '../../platform/http/http.ts';
import { respondWith } from '../../platform/http/route.ts';
import {
  exportConnections,
  pauseConnections,
  requireProvider,
  triggerAndWait,
  toBulkOpView,
} from './bulk.ts';
import { importConnections } from './bulk-import.ts';
import {
  BulkExportBody,
  BulkExportResponse,
  BulkImportBody,
  BulkImportResponse,
  BulkOpQuery,
  BulkOpsResponse,
  BulkPauseBody,
  BulkTriggerBody,
} from './bulk-schema.ts';
import { listBulkOps } from './bulk-store.ts';

const tag = 'Link';
const EmptyResponse = z.object({});

/** Operations on many connections at once. */
export function bulkRoutes(http: Http, app: App): void {
  readAndExport(http);
  http.post('/v2/link/bulk_import', {
    schema: {
      operationId: 'bulkImportConnections',
      summary: 'Import connections in bulk',
      description:
        'Imports OAuth grants that users gave in another system. The import is complete when the request returns: ' +
        '200 with wait_for_completion, else 202, with the same body. ' +
        'To pull history, use bulk_trigger_historical_pull.',
      tag,
      body: BulkImportBody,
      response: { 200: BulkImportResponse, 202: BulkImportResponse },
    },
    handler: async ({ work, body }) => {
      const provider = requireProvider(app, body.provider);
      const { imported, failed } = await importConnections(work, provider, body.connections);
      const status = body.wait_for_completion ? 200 : 202;
      return respondWith(status, { user_ids_imported: imported, user_ids_failed: failed });
    },
  });
  http.post('/v2/link/bulk_trigger_historical_pull', {
    schema: {
      operationId: 'bulkTriggerHistoricalPull',
      summary: 'Trigger a historical pull for many connections',
      tag,
      body: BulkTriggerBody,
      response: { 200: EmptyResponse, 202: EmptyResponse },
    },
    prepare: ({ tenant, body, runStep }) => triggerAndWait(app, tenant, { request: body, begin: runStep }),
    handler: async ({ prepared: done }) => respondWith(done ? 200 : 202, {}),
  });
  http.post('/v2/link/bulk_pause', {
    schema: {
      operationId: 'bulkPauseConnections',
      summary: 'Pause connections in bulk',
      description: 'Nothing is pulled from a paused connection until it is imported or linked again.',
      tag,
      body: BulkPauseBody,
      response: { 200: EmptyResponse },
    },
    handler: async ({ work, body }) => {
      await pauseConnections(work, { provider: body.provider, userIds: body.user_ids });
      return {};
    },
  });
}

function readAndExport(http: Http): void {
  http.get('/v2/link/bulk_op', {
    schema: {
      operationId: 'listBulkOps',
      summary: 'List bulk operations, newest first',
      tag,
      query: BulkOpQuery,
      response: { 200: BulkOpsResponse },
    },
    handler: async ({ work, query }) => {
      const { next_cursor: cursor, page_size: limit } = query;
      if (limit === 0) return { data: [], next_cursor: null };
      const { items, next_cursor } = await readPage({ next_cursor: cursor, limit }, (page) =>
        listBulkOps(work, page),
      );
      return { data: items.map(toBulkOpView), next_cursor };
    },
  });
  http.post('/v2/link/bulk_export', {
    schema: {
      operationId: 'bulkExportConnections',
      summary: 'Export connections in bulk',
      tag,
      body: BulkExportBody,
      response: { 200: BulkExportResponse },
    },
    handler: async ({ work, body }) => {
      const after = body.next_token ? Buffer.from(body.next_token, 'base64url').toString() : undefined;
      if (after !== undefined && !z.guid().safeParse(after).success) {
        throw invalidField(['body', 'next_token'], 'expected the next_token of an earlier response');
      }
      const userIds = body.user_ids ?? undefined;
      const { data, last } = await exportConnections(work, { provider: body.provider, userIds, after });
      return { data, next_token: last === undefined ? null : Buffer.from(last).toString('base64url') };
    },
  });
}
