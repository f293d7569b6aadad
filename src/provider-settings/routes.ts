import type { App } from '../app.ts';
import type { Http } from '../platform/http/http.ts';
import { credentialRoutes } from './credential-routes.ts';
import { pullRoutes } from './pull-routes.ts';
import { scopeRoutes } from './scope-routes.ts';
import { ownProviderRoutes, type Listeners } from './team-routes.ts';

/** What teams, and organizations for them, say of providers. */
export function providerSettingRoutes(http: Http, app: App, listeners: Listeners): void {
  credentialRoutes(http, app);
  pullRoutes(http, app);
  scopeRoutes(http, app);
  ownProviderRoutes(http, app, listeners);
}
