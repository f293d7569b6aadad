import { buildApp, buildHttp } from './compose.ts';
import { buildOpenApiDocument } from './openapi.ts';
import { systemClock } from './platform/clock.ts';
import { readConfig } from './platform/config.ts';
import { openKeyring } from './platform/crypto/keyring.ts';
import { openPools } from './platform/db/open.ts';
import type { Http } from './platform/http/http.ts';
import { createNotifier } from './platform/jobs/notifier.ts';
import { publicUrl } from './platform/public-url.ts';
import { versionOf } from './platform/version.ts';
import { silentTelemetry } from './platform/telemetry/telemetry.ts';
import { openLog } from './platform/log.ts';

/** The OpenAPI document of all routes, built without a database: for drift checks and the contract check. */
export const buildOpenApi = async (root: URL, brand = 'service'): Promise<object> =>
  buildOpenApiDocument(await buildRouteTable(root, brand), {
    brand,
    serverUrl: publicUrl(readConfig({ BRAND: brand }), ''),
    productVersion: versionOf(root),
  });

/** The table of all routes, for generating documents. It cannot serve requests. */
export async function buildRouteTable(root: URL, brand = 'service'): Promise<Http> {
  const log = openLog('silent');
  const config = readConfig({ BRAND: brand });
  const pools = openPools({}, { size: 1, driver: 'plain' }, log);
  const keyring = openKeyring(pools.db, Buffer.alloc(32).toString('base64'));
  const platform = { config, log, clock: systemClock, keyring, db: pools.db, notifier: createNotifier() };
  const http = buildHttp(buildApp({ ...platform, telemetry: silentTelemetry }, root));
  await pools.close();
  return http;
}
