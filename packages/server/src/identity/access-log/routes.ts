import type { z } from 'zod';
import { readTenant, type App } from '../../app.ts';
import type { TenantAuthorizer } from '../management/management.ts';
import { invalidField } from '../../platform/errors.ts';
import { ndjson } from '../../platform/http/file-response.ts';
import type { Http } from '../../platform/http/http.ts';
import type { Tenant } from '../../platform/tenant.ts';
import { AccessLogPageView, AccessLogQuery, AccessLogParams, toAccessLogEntryView } from './schema.ts';
import { listAccessEntries, listAccessEntriesAfter, type AccessLogFilter } from './store.ts';

const LOG_PATH = '/v1/org/:org_id/team/:team_id/:environment/access_log';

/** The access log of a team, as pages of JSON or exported as NDJSON. */
export function accessLogRoutes(http: Http, app: App, scoped: TenantAuthorizer): void {
  http.management.get(LOG_PATH, {
    schema: {
      operationId: 'listAccessLog',
      summary: 'List the access log of a team',
      description:
        'Newest first; with `Accept: application/x-ndjson` the whole log, oldest first. It contains every change ' +
        'through the team API and every read that may return patient data, made with a key, a token or a ' +
        'break-glass opening; of the Management API, the reads of events, webhook attempts and laboratory messages.',
      tag: 'Management',
      params: AccessLogParams,
      query: AccessLogQuery,
      response: { 200: AccessLogPageView },
      file: ndjson(),
    },
    handler: async ({ principal, params, query }) => {
      const filter = toFilter(await scoped(principal, params), query);
      const page = { before: decodeCursor(query.next_cursor), limit: query.limit + 1 };
      const rows = await readTenant(app, filter.tenant, ({ tx }) => listAccessEntries(tx, filter, page));
      const items = rows.slice(0, query.limit);
      const last = items.at(-1);
      const next = rows.length > items.length && last ? encodeCursor(last.place) : null;
      return { data: items.map(toAccessLogEntryView), next_cursor: next };
    },
    stream: async function* ({ principal, params, query }) {
      yield* exportEntries(app, toFilter(await scoped(principal, params), query));
    },
  });
}

const EXPORT_BATCH = 500;

async function* exportEntries(app: App, filter: AccessLogFilter): AsyncGenerator<string, void> {
  let after = 0;
  for (;;) {
    const page = { after, limit: EXPORT_BATCH };
    const rows = await readTenant(app, filter.tenant, ({ tx }) => listAccessEntriesAfter(tx, filter, page));
    if (rows.length > 0) yield rows.map((row) => `${JSON.stringify(toAccessLogEntryView(row))}\n`).join('');
    if (rows.length < EXPORT_BATCH) return;
    after = rows.at(-1)?.place ?? after;
  }
}

const toFilter = (tenant: Tenant, query: z.output<typeof AccessLogQuery>): AccessLogFilter => ({
  tenant,
  keyId: query.key_id ?? undefined,
  operation: query.operation ?? undefined,
  userId: query.user_id ?? undefined,
  orderId: query.order_id ?? undefined,
  from: query.from ? new Date(query.from) : undefined,
  to: query.to ? new Date(query.to) : undefined,
});

const encodeCursor = (place: number): string => Buffer.from(String(place)).toString('base64url');

function decodeCursor(cursor: string | null | undefined): number | undefined {
  if (!cursor) return undefined;
  const text = Buffer.from(cursor, 'base64url').toString();
  if (/^[1-9]\d{0,14}$/.test(text)) return Number(text);
  throw invalidField(['query', 'next_cursor'], 'expected the next_cursor of an earlier page of this list');
}
