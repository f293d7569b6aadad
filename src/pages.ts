import type { App } from './app.ts';
import { pendingMigrations } from './platform/db/migrate.ts';
import type { Http } from './platform/http/http.ts';
import { referencePage } from './reference/reference.ts';

const json = (status: number, body: unknown) => ({
  status,
  type: 'application/json',
  text: JSON.stringify(body),
});

/** Whether the process is alive, and whether it can work. */
export function probeRoutes(http: Http, app: App): void {
  http.page('/healthz', { handler: async () => json(200, { status: 'ok' }) });
  http.page('/readyz', { handler: async () => readiness(app) });
}

/** What the service says of itself: how it is called, and what it sends. Each is made when it is first asked for. */
export interface Documents {
  readonly openApi: () => object;
  readonly asyncApi: () => object;
}

/** The OpenAPI and the AsyncAPI document, and the reference page that is printed from the former. */
export function pageRoutes(http: Http, { openApi, asyncApi }: Documents): void {
  documentPage(http, '/openapi.json', openApi);
  documentPage(http, '/asyncapi.json', asyncApi);
  let page: string | undefined;
  http.page('/reference', {
    handler: async () => ({
      status: 200,
      type: 'text/html; charset=utf-8',
      text: (page ??= referencePage(openApi())),
    }),
  });
}

function documentPage(http: Http, path: string, document: () => object): void {
  let text: string | undefined;
  http.page(path, {
    handler: async () => ({
      status: 200,
      type: 'application/json',
      text: (text ??= JSON.stringify(document())),
    }),
  });
}

/** Ready when the database answers and has the form that this program expects. */
async function readiness(app: App) {
  try {
    const pending = await pendingMigrations(app.db.pool, new URL('migrations/', app.root));
    return pending.length === 0
      ? json(200, { status: 'ok' })
      : json(503, { detail: `Migrations are missing: ${pending.join(', ')}` });
  } catch {
    return json(503, { detail: 'The database cannot be reached' });
  }
}
