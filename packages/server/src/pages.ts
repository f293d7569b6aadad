import { createHash, timingSafeEqual } from 'node:crypto';
import type { App } from './app.ts';
import { buildAsyncApiDocument } from './asyncapi.ts';
import { describeBackupStatus } from './backup/backup.ts';
import { dashboardPages } from './dashboard/dashboard.ts';
import { eventCatalog, userlessEventTypes } from './event-catalog.ts';
import { buildOpenApiDocument } from './openapi.ts';
import { pendingMigrations } from './platform/db/migrate.ts';
import type { Http } from './platform/http/http.ts';
import { publicPrefix } from './platform/public-url.ts';
import { referencePage } from './reference/reference.ts';

const jsonPage = (status: number, body: unknown) => ({
  status,
  type: 'application/json',
  text: JSON.stringify(body),
});

/** Liveness (`/healthz`) and readiness (`/readyz`) probes. */
export function probeRoutes(http: Http, app: App): void {
  http.page('/healthz', { isProbe: true, handler: async () => jsonPage(200, { status: 'ok' }) });
  http.page('/readyz', { isProbe: true, handler: async () => checkReadiness(app) });
}

/** Served without a token on the probe port, and with METRICS_TOKEN on the main one. */
export function metricsPage(http: Http, app: App, token?: string): void {
  const expected = token === undefined ? undefined : digestOf(`Bearer ${token}`);
  http.page('/metrics', {
    isProbe: true,
    handler: async ({ authorization }) => {
      const given = digestOf(typeof authorization === 'string' ? authorization : '');
      if (expected && !timingSafeEqual(given, expected))
        return jsonPage(401, { detail: 'Expected the bearer token of METRICS_TOKEN' });
      return { status: 200, type: METRICS_TYPE, text: await app.telemetry.metricsText() };
    },
  });
}

const METRICS_TYPE = 'text/plain; version=0.0.4; charset=utf-8';

/** Digests have one length, so that they can be compared in constant time. */
const digestOf = (text: string): Buffer => createHash('sha256').update(text).digest();

/**
 * What browsers open: the dashboard, the OpenAPI and AsyncAPI documents, and the reference page generated from the
 * former. A document is built on its first request.
 */
export function pageRoutes(http: Http, app: App): void {
  const openApi = () => buildOpenApiDocument(http, app.config.BRAND);
  dashboardPages(http, app);
  addDocumentPage(http, '/openapi.json', openApi);
  addDocumentPage(http, '/asyncapi.json', () => buildAsyncApiDocument(eventCatalog, userlessEventTypes));
  let page: string | undefined;
  http.page('/reference', {
    handler: async () => ({
      status: 200,
      type: 'text/html; charset=utf-8',
      text: (page ??= referencePage(openApi(), publicPrefix(app.config))),
    }),
  });
}

function addDocumentPage(http: Http, path: string, document: () => object): void {
  let text: string | undefined;
  http.page(path, {
    handler: async () => ({
      status: 200,
      type: 'application/json',
      text: (text ??= JSON.stringify(document())),
    }),
  });
}

/** Ready when the database answers and all migrations are applied. */
async function checkReadiness(app: App) {
  try {
    const pending = await pendingMigrations(app.db.pool, new URL('migrations/', app.root));
    return pending.length === 0
      ? jsonPage(200, { ...describeReady(app), ...(await describeBackups(app)) })
      : jsonPage(503, { detail: `Pending migrations: ${pending.join(', ')}` });
  } catch {
    return jsonPage(503, { detail: 'The database cannot be reached' });
  }
}

/**
 * A key provider that fails does not end readiness: every process would leave the load balancer, though each serves the
 * teams whose data keys it has in memory.
 */
function describeReady({ keyring }: App): Record<string, unknown> {
  const failure = keyring.failure();
  if (!failure) return { status: 'ok' };
  const what = failure.reason === 'unavailable' ? 'does not answer' : 'refuses the key';
  return {
    status: 'degraded',
    detail: `The key provider ${failure.provider} ${what}: teams whose data keys are not in memory get a 503`,
  };
}

async function describeBackups(app: App): Promise<Record<string, unknown>> {
  const backups = await describeBackupStatus(app);
  return backups ? { backups } : {};
}
