import type { App } from '../../app.ts';
import type { Http } from '../../platform/http/http.ts';
import { integrationRoutes } from './integration-routes.ts';
import { ehrMemberRoutes } from './member-routes.ts';
import { ehrPipelineRoutes } from './pipeline-routes.ts';

/** Embedding the service into an EHR (members, configuration, dashboard), and the EHR pipelines of teams. */
export function ehrIntegrationRoutes(http: Http, app: App): void {
  ehrMemberRoutes(http, app);
  integrationRoutes(http, app);
  ehrPipelineRoutes(http, app);
}
