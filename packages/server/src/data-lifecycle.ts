import type { App } from './app.ts';
import { openAccessLogger, removeOldLines } from './identity/access-log/access-log.ts';
import { openRequestLogger, removeOldRequests } from './identity/request-log/request-log.ts';
import { requestLogRoutes } from './identity/request-log/routes.ts';
import { accessLogRoutes } from './identity/access-log/routes.ts';
import {
  createTenantAuthorizer,
  createTenantAuthorizerWithDeleted,
} from './identity/management/management.ts';
import { removeOldEvents } from './events/events.ts';
import { expireReportFiles } from './lab-reports/lab-reports.ts';
import { expireMessages } from './laboratories/lab-connections/connect.ts';
import type { Http } from './platform/http/http.ts';
import { TIMESERIES, type SampledResource } from './readings/readings.ts';
import { retentionRoutes, type Removers } from './retention/retention.ts';
import { removeOldAttempts } from './delivery/webhooks/webhooks.ts';
import { erasureRoutes } from './users/erasures/erasures.ts';
import { userExportRoutes, type ExportSources } from './user-export/user-export.ts';
import { fetchFile } from './lab-reports/files.ts';
import { getOrder } from './ordering/orders/orders.ts';
import { toFhirBundle } from './results/results/fhir/fhir.ts';
import { findReport } from './results/results/results.ts';
import { listDocuments } from './results/lab-documents/lab-documents.ts';
import { unpackStream } from './wearables/records/stream-columns.ts';
import { readSamples, toSampleView, toSourceView } from './wearables/samples/samples.ts';
import { expireRawPayloads } from './wearables/connect.ts';

/** The part of compose.ts about what is kept of a team, who read it, and what was deleted. */
export function dataLifecycleRoutes(http: Http, app: App): void {
  const scoped = createTenantAuthorizerWithDeleted(app);
  accessLogRoutes(http, app, scoped);
  requestLogRoutes(http, app);
  retentionRoutes(http, app, scoped);
  erasureRoutes(http, app, scoped);
  userExportRoutes(http, app, { scoped: createTenantAuthorizer(app), sources: exportSources });
}

/** What logs the requests of both APIs. */
export const openLoggers = (app: App) => ({
  witness: openAccessLogger(app),
  requestLogger: openRequestLogger(app),
});

/** What deletes each kind of data by age. */
export const removers: Removers = {
  events: (_app, work, step) => removeOldEvents(work, step),
  webhook_attempts: (_app, work, step) => removeOldAttempts(work, step),
  access_log: removeOldLines,
  request_log: (_app, work, step) => removeOldRequests(work, step),
  lab_report_files: (_app, work, step) => expireReportFiles(work, step),
  lab_messages: (_app, work, step) => expireMessages(work, step),
  wearable_raw: (_app, work, step) => expireRawPayloads(work, step),
};

const EARLIEST = Date.UTC(1900, 0);
const LATEST = Date.UTC(9999, 0);

const isSampledResource = (name: string): name is SampledResource =>
  name === 'hypnogram' || name in TIMESERIES;

/** What the export of a user reads besides tables. */
const exportSources: ExportSources = {
  toFhirBundle: async (work, orderId) => {
    const report = await findReport(work, orderId);
    if (!report) return undefined;
    return toFhirBundle(await getOrder(work, orderId), report, await listDocuments(work, orderId));
  },
  readSamples: async (work, { resource, ...query }) => {
    if (!isSampledResource(resource)) throw new Error(`Unknown resource of samples: ${resource}`);
    const page = await readSamples(work, { ...query, resource, from: EARLIEST, to: LATEST });
    const groups = page.groups.map(({ source, samples }) => ({
      source: toSourceView(source),
      samples: samples.map((sample) => toSampleView(resource, sample)),
    }));
    return { groups, next: page.next };
  },
  unpackStream,
  fetchReportFile: fetchFile,
};
