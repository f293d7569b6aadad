import type { App } from '../app.ts';
import type { Http } from '../platform/http/http.ts';
import { credentialRoutes } from './credential-routes.ts';
import { pullRoutes } from './pull-routes.ts';
import { scopeRoutes } from './scope-routes.ts';
import { ownProviderRoutes, type ProviderSettingListeners } from './team-routes.ts';

/** Routes for the provider settings of teams. */
export function providerSettingRoutes(http: Http, app: App, listeners: ProviderSettingListeners): void {
  credentialRoutes(http, app);
  pullRoutes(http, app);
  scopeRoutes(http, app);
  ownProviderRoutes(http, app, listeners);
}
