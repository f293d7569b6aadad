import { z } from 'zod';
import type { App } from '../../app.ts';
import { pageOf, readCursor } from '../../management/management.ts';
import { invalidField } from '../../platform/errors.ts';
import type { Http } from '../../platform/http/http.ts';
import { answer } from '../../platform/http/route.ts';
import { exportConnections, pauseConnections, requireBody, triggerAndWait, viewOp } from './bulk.ts';
import { importConnections } from './bulk-import.ts';
import {
  BulkExport,
  BulkExported,
  BulkImport,
  BulkImported,
  BulkOpQuery,
  BulkOps,
  BulkPause,
  BulkTrigger,
} from './bulk-schema.ts';
import { listOps } from './bulk-store.ts';

const tag = 'Link';
const Nothing = z.object({});

/** What is done to many connections at once. */
export function bulkRoutes(http: Http, app: App): void {
  readAndExport(http);
  http.post('/v2/link/bulk_import', {
    schema: {
      operationId: 'bulkImportConnections',
      summary: 'Take over grants that users gave elsewhere',
      description:
        'All of them in one request: 200 with wait_for_completion, else 202. Either tells of the users, because client ' +
        'SDKs read the same of both. The past is asked for with bulk_trigger_historical_pull.',
      tag,
      body: BulkImport,
      response: { 200: BulkImported, 202: BulkImported },
    },
    handler: async ({ work, body }) => {
      const provider = requireBody(app, body.provider);
      const { imported, failed } = await importConnections(work, provider, body.connections);
      const status = body.wait_for_completion ? 200 : 202;
      return answer(status, { user_ids_imported: imported, user_ids_failed: failed });
    },
  });
  http.post('/v2/link/bulk_trigger_historical_pull', {
    schema: {
      operationId: 'bulkTriggerHistoricalPull',
      summary: 'Ask for the past of connections anew',
      tag,
      body: BulkTrigger,
      response: { 200: Nothing, 202: null },
    },
    prepare: ({ tenant, body, begin }) => triggerAndWait(app, tenant, { asked: body, begin }),
    handler: async ({ prepared: done }) => (done ? answer(200, {}) : answer(202, undefined)),
  });
  http.post('/v2/link/bulk_pause', {
    schema: {
      operationId: 'bulkPauseConnections',
      summary: 'Ask nothing of connections until they are imported or linked anew',
      tag,
      body: BulkPause,
      response: { 200: Nothing },
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
      summary: 'List what was done to many connections at once, the newest first',
      tag,
      query: BulkOpQuery,
      response: { 200: BulkOps },
    },
    handler: async ({ work, query }) => {
      const { page_size: limit } = query;
      if (limit === 0) return { data: [], next_cursor: null };
      const rows = await listOps(work, { after: readCursor(query.next_cursor), limit: limit + 1 });
      const { items, next_cursor } = pageOf(rows, limit);
      return { data: items.map(viewOp), next_cursor };
    },
  });
  http.post('/v2/link/bulk_export', {
    schema: {
      operationId: 'bulkExportConnections',
      summary: 'Read the grants of users, to take them elsewhere',
      tag,
      body: BulkExport,
      response: { 200: BulkExported },
    },
    handler: async ({ work, body }) => {
      const after = body.next_token ? Buffer.from(body.next_token, 'base64url').toString() : undefined;
      if (after !== undefined && !z.guid().safeParse(after).success) {
        throw invalidField(['body', 'next_token'], 'expected a next_token of this operation');
      }
      const userIds = body.user_ids ?? undefined;
      const { data, last } = await exportConnections(work, { provider: body.provider, userIds, after });
      return { data, next_token: last === undefined ? null : Buffer.from(last).toString('base64url') };
    },
  });
}
