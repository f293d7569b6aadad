import { createHash, timingSafeEqual } from 'node:crypto';
import type { App } from './app.ts';
import { buildAsyncApiDocument } from './asyncapi.ts';
import { describeBackupStatus } from './backup/backup.ts';
import { dashboardPages } from './dashboard/dashboard.ts';
import { eventCatalog, userlessEventTypes } from './event-catalog.ts';
import { buildOpenApiDocument } from './openapi.ts';
import { pendingMigrations } from './platform/db/migrate.ts';
import { describeIncompatibility, readSchemaVersion } from './platform/db/schema-version.ts';
import type { Http } from './platform/http/http.ts';
import { versionOf } from './platform/version.ts';
import { JSON_CONTENT_TYPE } from './platform/http/exchange.ts';
import { JSON_MEDIA_TYPE, negotiateMediaType } from './platform/http/content-negotiation.ts';
import { publicPrefix, publicUrl } from './platform/public-url.ts';
import { referencePage, renderStartPage, startDocument, startPagePolicy } from './reference/reference.ts';

const jsonPage = (status: number, body: unknown) => ({
  status,
  type: 'application/json',
  text: JSON.stringify(body),
});

/** Liveness (`/healthz`) and readiness (`/readyz`) probes. */
export function probeRoutes(http: Http, app: App): void {
  http.page('/healthz', { isProbe: true, handler: async () => jsonPage(200, { status: 'ok' }) });
  const version = versionOf(app.root);
  http.page('/readyz', { isProbe: true, handler: async () => checkReadiness(app, version) });
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
 * What browsers open: the page at /, the dashboard, the OpenAPI and AsyncAPI documents, and the reference page generated from the
 * former. A document is built on its first request.
 */
export function pageRoutes(http: Http, app: App): void {
  const openApi = () =>
    buildOpenApiDocument(http, {
      brand: app.config.BRAND,
      serverUrl: publicUrl(app.config, ''),
      productVersion: versionOf(app.root),
    });
  startPage(http, app);
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

/** Browsers get a page at /, and programs the same links as JSON. */
function startPage(http: Http, app: App): void {
  const { config } = app;
  const version = versionOf(app.root);
  http.visit('/', {
    methods: ['GET', 'HEAD'],
    handler: async ({ headers }) => {
      const keyHeader = `x-${config.BRAND}-api-key`;
      const address = { url: publicUrl(config, ''), prefix: publicPrefix(config), keyHeader, version };
      const type = negotiateMediaType(headers['accept']?.toString(), [JSON_MEDIA_TYPE, HTML_MEDIA_TYPE]);
      if (type === JSON_MEDIA_TYPE) {
        const text = JSON.stringify(startDocument(address));
        return { status: 200, headers: { 'content-type': JSON_CONTENT_TYPE, vary: 'accept' }, text };
      }
      const policy = { 'content-security-policy': startPagePolicy, vary: 'accept' };
      return {
        status: 200,
        headers: { 'content-type': `${HTML_MEDIA_TYPE}; charset=utf-8`, ...policy },
        text: renderStartPage(address),
      };
    },
  });
}

const HTML_MEDIA_TYPE = 'text/html';

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

/**
 * Ready when the database answers, all migrations are applied, and no newer version has taken away what this one needs.
 * Migrations of a newer version alone do not end readiness: during an upgrade both versions serve.
 */
async function checkReadiness(app: App, version: string) {
  try {
    const pending = await pendingMigrations(app.db.pool, new URL('migrations/', app.root));
    if (pending.length > 0) return jsonPage(503, { detail: `Pending migrations: ${pending.join(', ')}` });
    const reason = describeIncompatibility(version, await readSchemaVersion(app.db.pool));
    if (reason !== undefined) return jsonPage(503, { detail: reason });
    return jsonPage(200, { ...describeReady(app), ...(await describeBackups(app)) });
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
