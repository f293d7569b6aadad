import type { App } from '../app.ts';
import type { Http } from '../platform/http/http.ts';
import type { BrowserResponse } from '../platform/http/serve-open.ts';
import { publicPrefix } from '../platform/public-url.ts';
import { openBuiltDashboard } from './built-files.ts';
import { renderDashboardPage } from './page.ts';

const ONE_YEAR = 'public, max-age=31536000, immutable';

/**
 * The dashboard at /dashboard. It holds no data: its script calls the API of this service as the
 * signed-in member.
 */
export function dashboardPages(http: Http, app: App): void {
  const methods = ['GET', 'HEAD'] as const;
  const page = { methods, handler: () => showPage(app) };
  http.visit('/dashboard', page);
  http.visit('/dashboard/*', page);
  http.visit('/dashboard/assets/:name', {
    methods,
    handler: ({ params, headers }) =>
      sendFile(params['name'] ?? '', String(headers['accept-encoding'] ?? '')),
  });
}

async function showPage(app: App): Promise<BrowserResponse> {
  const { script, style } = await openBuiltDashboard();
  const prefix = publicPrefix(app.config);
  const { html, policy } = renderDashboardPage({ prefix, brand: app.config.BRAND, script, style });
  return {
    status: 200,
    headers: { 'content-type': 'text/html; charset=utf-8', 'content-security-policy': policy },
    text: html,
  };
}

/** Names have a hash of the content, so browsers may keep the files. */
async function sendFile(name: string, acceptEncoding: string): Promise<BrowserResponse> {
  const built = await openBuiltDashboard();
  const file = await built.read(name, acceptEncoding);
  if (!file)
    return { status: 404, headers: { 'content-type': 'text/plain; charset=utf-8' }, text: 'No such file' };
  return {
    status: 200,
    headers: {
      'content-type': file.type,
      'cache-control': ONE_YEAR,
      vary: 'accept-encoding',
      ...(file.encoding === undefined ? {} : { 'content-encoding': file.encoding }),
    },
    text: file.bytes,
  };
}
