import type { App } from './app.ts';
import { removeOldLines } from './identity/access-log/access-log.ts';
import { accessLogRoutes } from './identity/access-log/routes.ts';
import { createTenantAuthorizerWithDeleted } from './identity/management/management.ts';
import { removeOldEvents } from './events/events.ts';
import { expireReportFiles } from './lab-reports/lab-reports.ts';
import { expireMessages } from './laboratories/lab-connections/connect.ts';
import type { Http } from './platform/http/http.ts';
import { retentionRoutes, type Removers } from './retention/retention.ts';
import { removeOldAttempts } from './delivery/webhooks/webhooks.ts';
import { erasureRoutes } from './users/erasures/erasures.ts';
import { expireRawPayloads } from './wearables/connect.ts';

/** The part of compose.ts about what is kept of a team, who read it, and what was deleted. */
export function dataLifecycleRoutes(http: Http, app: App): void {
  const scoped = createTenantAuthorizerWithDeleted(app);
  accessLogRoutes(http, app, scoped);
  retentionRoutes(http, app, scoped);
  erasureRoutes(http, app, scoped);
}

/** What deletes each kind of data by age. */
export const removers: Removers = {
  events: (_app, work, step) => removeOldEvents(work, step),
  webhook_attempts: (_app, work, step) => removeOldAttempts(work, step),
  access_log: removeOldLines,
  lab_report_files: (_app, work, step) => expireReportFiles(work, step),
  lab_messages: (_app, work, step) => expireMessages(work, step),
  wearable_raw: (_app, work, step) => expireRawPayloads(work, step),
};
