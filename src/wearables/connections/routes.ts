import type { App } from '../../app.ts';
import type { Http } from '../../platform/http/http.ts';
import type { AnyJob } from '../../platform/jobs/jobs.ts';
import { hostedRoutes } from '../link/hosted.ts';
import { portalRoutes } from '../link/portal.ts';
import { linkRoutes } from '../link/routes.ts';
import { pullIntrospectionRoutes } from '../pulls/introspection-routes.ts';
import { notificationRoutes } from '../pulls/notification-routes.ts';
import { poll, pullDue } from '../pulls/pull-due.ts';
import { pullHistory } from '../pulls/pull-history.ts';
import { emitAbandonedEvents } from '../ingestion/ingestion.ts';
import { bulkRoutes } from './bulk-routes.ts';
import { runDemo, endDemo } from './demo.ts';
import { disconnectTeam } from './disconnect-team.ts';
import { revokeGrant } from './remove.ts';
import { subscribe } from './subscribe.ts';
import { userConnectionRoutes } from './user-routes.ts';

export { listConnectedSources, countConnections, disconnectAll } from './connections.ts';
export { connectionsByWeek } from './weeks.ts';
export { scheduleTeamDisconnect } from './disconnect-team.ts';

/** All routes for connecting providers, and for the data that they send. */
export function connectionRoutes(http: Http, app: App): void {
  userConnectionRoutes(http, app);
  linkRoutes(http, app);
  bulkRoutes(http, app);
  hostedRoutes(http, app);
  portalRoutes(http, app);
  notificationRoutes(http, app);
  pullIntrospectionRoutes(http);
}

/** All background jobs of connections. */
export const connectionJobs: readonly AnyJob<App>[] = [
  pullHistory,
  pullDue,
  poll,
  subscribe,
  revokeGrant,
  disconnectTeam,
  runDemo,
  endDemo,
  emitAbandonedEvents,
];
