import type { z } from 'zod';
import { readTenant, type App } from '../app.ts';
import type { ScopedTenant } from '../management/management.ts';
import { invalidField } from '../platform/errors.ts';
import { ndjson } from '../platform/http/file-answer.ts';
import type { Http } from '../platform/http/http.ts';
import type { Tenant } from '../platform/tenant.ts';
import { AccessList, AccessQuery, TenantPath, viewAccess } from './schema.ts';
import { listLines, nextLines, type AccessFilter } from './store.ts';

const LOG = '/v1/org/:org_id/team/:team_id/:environment/access_log';

/** Who saw or changed what of a team: page by page, or all of it as lines of JSON. */
export function accessLogRoutes(http: Http, app: App, scoped: ScopedTenant): void {
  http.management.get(LOG, {
    schema: {
      operationId: 'listAccessLog',
      summary:
        'Read who saw or changed what, newest first; as application/x-ndjson all of it, oldest first (ours)',
      description:
        'Every change by the team API, and every read of what may be a patient’s: with a key, a token or an opening, and by the Management API where it reads events, attempts of webhooks or messages of laboratories.',
      tag: 'Management',
      params: TenantPath,
      query: AccessQuery,
      response: { 200: AccessList },
      file: ndjson(),
    },
    handler: async ({ principal, params, query }) => {
      const filter = filterOf(await scoped(principal, params), query);
      const page = { before: placeOf(query.next_cursor), limit: query.limit + 1 };
      const rows = await readTenant(app, filter.tenant, ({ tx }) => listLines(tx, filter, page));
      const items = rows.slice(0, query.limit);
      const last = items.at(-1);
      const next = rows.length > items.length && last ? cursorOf(last.place) : null;
      return { data: items.map(viewAccess), next_cursor: next };
    },
    stream: async function* ({ principal, params, query }) {
      yield* exportOf(app, filterOf(await scoped(principal, params), query));
    },
  });
}

const EXPORTED_AT_ONCE = 500;

async function* exportOf(app: App, filter: AccessFilter): AsyncGenerator<string, void> {
  let after = 0;
  for (;;) {
    const page = { after, limit: EXPORTED_AT_ONCE };
    const rows = await readTenant(app, filter.tenant, ({ tx }) => nextLines(tx, filter, page));
    if (rows.length > 0) yield rows.map((row) => `${JSON.stringify(viewAccess(row))}\n`).join('');
    if (rows.length < EXPORTED_AT_ONCE) return;
    after = rows.at(-1)?.place ?? after;
  }
}

const filterOf = (tenant: Tenant, query: z.output<typeof AccessQuery>): AccessFilter => ({
  tenant,
  keyId: query.key_id ?? undefined,
  operation: query.operation ?? undefined,
  userId: query.user_id ?? undefined,
  orderId: query.order_id ?? undefined,
  from: query.from ? new Date(query.from) : undefined,
  to: query.to ? new Date(query.to) : undefined,
});

const cursorOf = (place: number): string => Buffer.from(String(place)).toString('base64url');

function placeOf(cursor: string | null | undefined): number | undefined {
  if (!cursor) return undefined;
  const text = Buffer.from(cursor, 'base64url').toString();
  if (/^[1-9]\d{0,14}$/.test(text)) return Number(text);
  throw invalidField(['query', 'next_cursor'], 'expected a next_cursor of this list');
}
