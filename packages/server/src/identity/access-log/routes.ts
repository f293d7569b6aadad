import type { z } from 'zod';
import { readTenant, type App } from '../../app.ts';
import { readMemberNames } from '../roles/roles.ts';
import type { TenantAuthorizer } from '../management/management.ts';
import { ndjson } from '../../platform/http/file-response.ts';
import type { Http } from '../../platform/http/http.ts';
import type { Tenant } from '../../platform/tenant.ts';
import { exportLog, readLogPage } from '../../platform/http/page.ts';
import { AccessLogPageView, AccessLogQuery, AccessLogParams, toAccessLogEntryView } from './schema.ts';
import { openEntryIds } from './entry-ids.ts';
import type { EntryIds } from './position-cipher.ts';
import {
  listAccessEntries,
  listAccessEntriesAfter,
  type AccessLogFilter,
  type AccessLogRow,
} from './store.ts';

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
        'break-glass opening; of the Management API, the reads of events, webhook attempts, received webhooks and laboratory messages, and exports of users.',
      tag: 'Management',
      params: AccessLogParams,
      query: AccessLogQuery,
      response: { 200: AccessLogPageView },
      file: ndjson(),
    },
    handler: async ({ principal, params, query }) => {
      const filter = toFilter(await scoped(principal, params), query);
      const ids = openEntryIds(app, filter.tenant);
      const keys = { keyOf: (row: AccessLogRow) => ids.toId(positionOf(row)), positionIn: ids.toPosition };
      const { items, next_cursor } = await readLogPage(query, keys, (page) =>
        readTenant(app, filter.tenant, ({ tx }) => listAccessEntries(tx, filter, page)),
      );
      return { data: await toViews(app, { orgId: principal.orgId, ids }, items), next_cursor };
    },
    stream: async function* ({ principal, params, query }) {
      const filter = toFilter(await scoped(principal, params), query);
      yield* exportEntries(app, principal.orgId, filter);
    },
  });
}

const exportEntries = (app: App, orgId: string, filter: AccessLogFilter) =>
  exportLog(
    (rows: readonly AccessLogRow[]) => toViews(app, { orgId, ids: openEntryIds(app, filter.tenant) }, rows),
    positionOf,
    (page) => readTenant(app, filter.tenant, ({ tx }) => listAccessEntriesAfter(tx, filter, page)),
  );

async function toViews(
  app: App,
  { orgId, ids }: { orgId: string; ids: EntryIds },
  rows: readonly AccessLogRow[],
) {
  const members = rows.filter(({ kind }) => kind === 'member').map(({ key_id: id }) => id);
  const memberNames = await readMemberNames(app, orgId, members);
  return rows.map((row) => toAccessLogEntryView(row, { ids, memberNames }));
}

const positionOf = ({ place }: AccessLogRow): number => place;

const toFilter = (tenant: Tenant, query: z.output<typeof AccessLogQuery>): AccessLogFilter => ({
  tenant,
  keyId: query.key_id ?? undefined,
  operation: query.operation ?? undefined,
  userId: query.user_id ?? undefined,
  orderId: query.order_id ?? undefined,
  assistantTool: query.assistant_tool ?? undefined,
  from: query.from ? new Date(query.from) : undefined,
  to: query.to ? new Date(query.to) : undefined,
});
