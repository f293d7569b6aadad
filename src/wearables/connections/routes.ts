import type { App } from '../../app.ts';
import type { Http } from '../../platform/http/http.ts';
import type { AnyJob } from '../../platform/jobs/jobs.ts';
import { hostedRoutes } from '../link/hosted.ts';
import { portalRoutes } from '../link/portal.ts';
import { linkRoutes } from '../link/routes.ts';
import { pullIntrospectionRoutes } from '../pulls/introspection-routes.ts';
import { newsRoutes } from '../pulls/news-route.ts';
import { poll, pullDue } from '../pulls/pull-due.ts';
import { pullHistory } from '../pulls/pull-history.ts';
import { tellFallen } from '../taking-in/taking-in.ts';
import { bulkRoutes } from './bulk-routes.ts';
import { demonstrate, endDemo } from './demo.ts';
import { disconnectTeam } from './end.ts';
import { revokeGrant } from './remove.ts';
import { subscribe } from './subscribe.ts';
import { userConnectionRoutes } from './user-routes.ts';

export { connectedSources, countConnections, disconnectAll } from './connections.ts';
export { connectionsByWeek } from './weeks.ts';
export { endConnections } from './end.ts';

/** Everything by which users connect providers, and what comes of it. */
export function connectionRoutes(http: Http, app: App): void {
  userConnectionRoutes(http, app);
  linkRoutes(http, app);
  bulkRoutes(http, app);
  hostedRoutes(http, app);
  portalRoutes(http, app);
  newsRoutes(http, app);
  pullIntrospectionRoutes(http);
}

/** Everything that is done about connections outside a request. */
export const connectionJobs: readonly AnyJob<App>[] = [
  pullHistory,
  pullDue,
  poll,
  subscribe,
  revokeGrant,
  disconnectTeam,
  demonstrate,
  endDemo,
  tellFallen,
];
