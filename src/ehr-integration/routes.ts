import type { App } from '../app.ts';
import type { Http } from '../platform/http/http.ts';
import { integrationRoutes } from './integration-routes.ts';
import { ehrMemberRoutes } from './member-routes.ts';
import { ehrPipelineRoutes } from './pipeline-routes.ts';

/** What a record system (EHR) needs to show the service within itself, and the record systems of teams. */
export function ehrIntegrationRoutes(http: Http, app: App): void {
  ehrMemberRoutes(http, app);
  integrationRoutes(http, app);
  ehrPipelineRoutes(http, app);
}
