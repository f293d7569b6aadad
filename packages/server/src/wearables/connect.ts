import type { App } from '../app.ts';
import type { Http } from '../platform/http/http.ts';
import type { AnyJob } from '../platform/jobs/jobs.ts';
import { bulkRoutes } from './connections/bulk-routes.ts';
import { disconnectTeam } from './connections/disconnect-team.ts';
import { revokeGrant } from './connections/remove.ts';
import { subscribe } from './connections/subscribe.ts';
import { userConnectionRoutes } from './connections/user-routes.ts';
import { dailyTotalRoutes } from './daily/daily.ts';
import { endDemo, runDemo } from './demo/demo-connection.ts';
import { emitAbandonedEvents } from './ingestion/ingestion.ts';
import { hostedRoutes } from './link/hosted.ts';
import { portalRoutes } from './link/portal.ts';
import { linkRoutes } from './link/routes.ts';
import { pullIntrospectionRoutes } from './pulls/introspection-routes.ts';
import { notificationRoutes } from './pulls/notification-routes.ts';
import { poll, pullDue } from './pulls/pull-due.ts';
import { pullHistory } from './pulls/pull-history.ts';
import { deriveDueActivities } from './push/derive-activity.ts';
import { phoneRoutes } from './phone/routes.ts';
import { pushRoutes } from './push/routes.ts';
import { wearableReadRoutes } from './reads/reads.ts';
import { compactSamples } from './samples/compact.ts';
import { wearableFileRoutes } from './uploads/uploads.ts';
import { userAppRoutes } from './user-apps/user-apps.ts';

export { expireRawPayloads } from './records/records.ts';

/** All routes for connecting providers, and for the data that they send. */
export function wearableRoutes(http: Http, app: App): void {
  wearableReadRoutes(http);
  userConnectionRoutes(http, app);
  linkRoutes(http, app);
  bulkRoutes(http, app);
  hostedRoutes(http, app);
  portalRoutes(http, app);
  userAppRoutes(http, app);
  notificationRoutes(http, app);
  pullIntrospectionRoutes(http);
  wearableFileRoutes(http, app);
  pushRoutes(http, app);
  phoneRoutes(http);
  dailyTotalRoutes(http);
}

/** All background jobs of wearables. */
export const wearableJobs: readonly AnyJob<App>[] = [
  pullHistory,
  pullDue,
  poll,
  subscribe,
  revokeGrant,
  disconnectTeam,
  runDemo,
  endDemo,
  emitAbandonedEvents,
  compactSamples,
  deriveDueActivities,
];
