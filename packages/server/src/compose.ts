import { startSealing } from './identity/access-log/access-log.ts';
import { findSession, requireRecentAuthentication } from './identity/accounts/accounts.ts';
import { fetchLogo, followLogoUrl, readBrandWithLogo, removeLogo } from './identity/brand/brand.ts';
import { identityRoutes } from './identity-routes.ts';
import { dashboardRoutes } from './dashboard-routes.ts';
import { dataLifecycleRoutes, openLoggers, removers } from './data-lifecycle.ts';
import { createCourier } from './adapters/courier/choose.ts';
import { createSimulatedCourier } from './adapters/courier/simulated.ts';
import { createConfiguredTxtResolver } from './adapters/dns/choose.ts';
import { createEventDestinations } from './adapters/event-destination/choose.ts';
import { createBackupStorage, createFileStorage } from './adapters/file-storage/choose.ts';
import { createIdentityProviders } from './adapters/identity-provider/choose.ts';
import { createHttpImageSource } from './adapters/image-source/http.ts';
import { readFhirReports } from './adapters/lab-network/fhir/fhir.ts';
import { removeFhirReports } from './adapters/lab-network/fhir/remove-reports.ts';
import { createHl7LabNetwork } from './adapters/lab-network/hl7/network.ts';
import { createLabProtocol } from './adapters/lab-network/hl7/protocol.ts';
import { writeReport } from './adapters/lab-network/hl7/write-report.ts';
import { createSimulatedLabNetwork } from './adapters/lab-network/simulated.ts';
import { createMailer } from './adapters/mail/choose.ts';
import { createReportExtractor } from './adapters/report-extractor/choose.ts';
import { createSchedulingProviders } from './adapters/scheduling/choose.ts';
import { aggregationRoutes } from './analytics/aggregation/routes.ts';
import { createWearableProviders } from './adapters/wearable-provider/choose.ts';
import type { App } from './app.ts';
import { eventCatalog, eventTypes } from './event-catalog.ts';
import {
  evaluateAllQueries,
  evaluateForSourceOrder,
  continuousQueryJobs,
  continuousQueryEventHandler,
  continuousQueryRoutes,
} from './analytics/continuous-queries/continuous-queries.ts';
import { ehrIntegrationRoutes } from './identity/ehr-integration/routes.ts';
import { FAN_OUT_BATCH, fanOut } from './events/fan-out.ts';
import type { EventHandler } from './events/events.ts';
import { openPayloadCheck } from './events/payload-check.ts';
import { eventRoutes } from './events/routes.ts';
import { eventStreamRoutes } from './events/stream-routes.ts';
import { insuranceRoutes } from './users/insurance/insurance.ts';
import { findReportReader, startLabReports } from './lab-reports/lab-reports.ts';
import {
  appointmentJobs,
  appointmentEventHandler,
  cancelVisitsInGrace,
  cancelVisitsOnErasure,
} from './scheduling/appointments/connect.ts';
import { refreshAvailability } from './scheduling/availability/availability.ts';
import { seedLabTests } from './ordering/catalog/catalog.ts';
import { seedLabAccounts } from './ordering/lab-accounts/lab-accounts.ts';
import { criticalResultHandler, criticalResultJobs } from './results/critical-results/connect.ts';
import { incomingResultJobs, kitRegistrationHandler } from './laboratories/incoming-results/connect.ts';
import {
  labConnectionJobs,
  redactMessages,
  openOutbox,
  startFolderPolling,
  withdrawOrders,
} from './laboratories/lab-connections/connect.ts';
import { startNameIndexing } from './ordering/orders/index-names.ts';
import { countOrders } from './ordering/orders/orders.ts';
import { requireValidPhysicians } from './ordering/orders/physicians.ts';
import { requestRequisition } from './ordering/orders/request-requisition.ts';
import { scheduleWithdrawals } from './ordering/orders/withdraw-on-erasure.ts';
import { shipmentJobs, shipmentEventHandler } from './ordering/shipments/connect.ts';
import { advanceSimulation } from './simulation/simulation.ts';
import { mailJobs } from './mail/mail.ts';
import { createAuthenticator } from './identity/management/authenticate.ts';
import { dataKeyRoutes, startDataKeyRotation } from './data-keys/data-keys.ts';
import { keyJobs, createTenantAuthorizer } from './identity/management/management.ts';
import { startIdempotencyCleaner } from './platform/http/idempotency-cleaner.ts';
import { labTestingRoutes } from './lab-testing-routes.ts';
import { metricsPage, pageRoutes, probeRoutes } from './pages.ts';
import { openHttp, type Http } from './platform/http/http.ts';
import type { Authenticator } from './platform/http/route.ts';
import type { AnyJob } from './platform/jobs/jobs.ts';
import { startLoop, type Loop } from './platform/jobs/loop.ts';
import { fireTimers } from './platform/jobs/timers.ts';
import type { Platform } from './platform/work.ts';
import {
  deletePipelinesOfTeam,
  transferBacklogJob,
  pipelineEventHandler,
  startPipelineSender,
} from './delivery/pipelines/pipelines.ts';
import { pipelineRoutes } from './delivery/pipelines/routes.ts';
import { createMemberAuthenticator } from './identity/roles/authenticate-member.ts';
import { requireCompleteRoleTable } from './identity/roles/role-table.ts';
import { providerSettingRoutes } from './provider-settings/routes.ts';
import { userJobs, userRoutes } from './users/users/users.ts';
import { startRetention } from './retention/retention.ts';
import { wearableJobs, wearableRoutes } from './wearables/connect.ts';
import { acceptUserApps } from './wearables/user-apps/user-apps.ts';
import {
  countConnections,
  disconnectAll,
  listConnectedSources,
} from './wearables/connections/connections.ts';
import { scheduleTeamDisconnect } from './wearables/connections/disconnect-team.ts';
import { connectionsByWeek } from './wearables/connections/weeks.ts';
import { startUploadWorkers } from './wearables/uploads/uploads.ts';
import {
  disableEndpoints,
  eraseAttempts,
  moveQueueJob,
  removeEndpointJob,
  replayMissing,
  startSender,
  webhookEventHandler,
} from './delivery/webhooks/webhooks.ts';
import { configureWearableProviders } from './wearable-providers.ts';
import { webhookRoutes } from './delivery/webhooks/routes.ts';
import { webhookInboxRoutes } from './delivery/webhook-inbox/routes.ts';
import { removeReceived } from './delivery/webhook-inbox/webhook-inbox.ts';

/** For the commands that look at storage and mail without a database. */
export { createBackupStorage, createFileStorage } from './adapters/file-storage/choose.ts';
export { createEventDestinations } from './adapters/event-destination/choose.ts';
export { createMailer } from './adapters/mail/choose.ts';

/** For what starts the service: the master key is needed before the app. */
export { openKeyProviders } from './adapters/key-provider/choose.ts';

/** For the command that runs a simulated laboratory next to the service. */
export { startSimulatedLaboratory } from './adapters/lab-network/hl7/simulated-laboratory.ts';

/** Chooses the implementation of each port. Production has no courier until a real one is configured. */
export function buildApp(platform: Platform, root: URL): App {
  requireValidPhysicians(platform.config);
  const wire = createLabProtocol({ readReports: readFhirReports, removeReports: removeFhirReports });
  return {
    ...platform,
    root,
    labNetworks: {
      sandbox: createSimulatedLabNetwork(),
      production: createHl7LabNetwork(openOutbox(platform, wire)),
    },
    labWire: wire,
    writeLabReport: writeReport,
    couriers: { sandbox: createSimulatedCourier(), production: createCourier(platform.config) },
    schedulingProviders: createSchedulingProviders(platform.config),
    eventDestinations: createEventDestinations(),
    wearableProviders: configureWearableProviders(platform, createWearableProviders),
    fileStorage: createFileStorage(platform.config),
    backupStorage: createBackupStorage(platform.config),
    reportExtractor: createReportExtractor(platform.config),
    hasReportReader: findReportReader() !== undefined,
    imageSource: createHttpImageSource(),
    mailer: createMailer(platform.config, platform.log),
    readMailBrand: readBrandWithLogo,
    textRecords: createConfiguredTxtResolver(platform.config),
    identityProviders: createIdentityProviders(platform.config, platform.clock),
    eventTypes,
    maintenanceJobs: jobs.filter(({ isMaintenance }) => isMaintenance).map(({ name }) => name),
    tenantSeeds: [seedLabTests, seedLabAccounts, followLogoUrl],
    settingsSteps: [followLogoUrl],
    tenantTeardowns: [disableEndpoints, deletePipelinesOfTeam, scheduleTeamDisconnect, removeLogo],
  };
}

/** All background jobs of all modules. */
export const jobs: readonly AnyJob<App>[] = [
  ...userJobs([redactMessages, eraseAttempts, cancelVisitsOnErasure, withdrawOrders, scheduleWithdrawals]),
  requestRequisition,
  advanceSimulation,
  ...shipmentJobs,
  ...labConnectionJobs,
  ...appointmentJobs,
  ...criticalResultJobs,
  ...incomingResultJobs,
  ...mailJobs,
  ...keyJobs,
  fetchLogo,
  ...wearableJobs,
  ...continuousQueryJobs,
  refreshAvailability,
  replayMissing,
  moveQueueJob,
  removeEndpointJob,
  removeReceived,
  transferBacklogJob,
];

/** All handlers that receive every event. */
const eventHandlers: readonly EventHandler<App>[] = [
  webhookEventHandler,
  pipelineEventHandler,
  shipmentEventHandler,
  appointmentEventHandler,
  criticalResultHandler,
  kitRegistrationHandler,
  continuousQueryEventHandler,
];

/** Authenticates keys, tokens and the sessions of members. */
const createCallerAuthenticator = (app: App): Authenticator =>
  acceptUserApps(
    app,
    createAuthenticator(app, createMemberAuthenticator(app, { findSession, requireRecentAuthentication })),
  );

/** Registers all routes for an app. */
export function buildHttp(app: App): Http {
  const loggers = openLoggers(app);
  const http = openHttp(app, createCallerAuthenticator(app), loggers);
  const scoped = createTenantAuthorizer(app);
  userRoutes(http, app, {
    countOrders,
    connectedSources: listConnectedSources,
    connectionsByWeek,
    countConnections,
    cancelVisitsInGrace,
    disconnectAll,
    recomputeContinuousQueries: evaluateAllQueries,
  });
  insuranceRoutes(http, app);
  labTestingRoutes(http, app, { scoped, loggers });
  identityRoutes(http, app);
  providerSettingRoutes(http, app, { onSourceOrderChanged: evaluateForSourceOrder });
  ehrIntegrationRoutes(http, app);
  wearableRoutes(http, app);
  aggregationRoutes(http);
  continuousQueryRoutes(http, app, scoped);
  webhookRoutes(http, app, { scoped, catalog: eventCatalog });
  webhookInboxRoutes(http, app, scoped);
  eventRoutes(http, app, scoped);
  eventStreamRoutes(http, app);
  pipelineRoutes(http, app, scoped);
  dashboardRoutes(http, app);
  dataKeyRoutes(http, app, scoped);
  dataLifecycleRoutes(http, app);
  probeRoutes(http, app);
  const { METRICS_TOKEN: token } = app.config;
  if (token !== undefined) metricsPage(http, app, token);
  pageRoutes(http, app);
  requireCompleteRoleTable(http.routes);
  return http;
}

/** Registers the probe routes, which are all that a worker serves. */
export function buildProbes(app: App): Http {
  const http = openHttp(app, createAuthenticator(app));
  const { METRICS_TOKEN: token } = app.config;
  probeRoutes(http, app);
  if (token !== undefined) metricsPage(http, app, token);
  return http;
}

/** The same for PROBE_PORT, which is not open to callers: plain HTTP, and metrics without a token. */
export function buildProbePort(app: App): Http {
  const config = { ...app.config, TLS_CERT_FILE: undefined, TLS_KEY_FILE: undefined };
  const http = openHttp({ ...app, config }, createAuthenticator(app), { isProbePort: true });
  probeRoutes(http, app);
  metricsPage(http, app);
  return http;
}

const POLL_INTERVAL_MS = 500;
const PAYLOAD_CHECK_INTERVAL_MS = 1000;

/** Starts the loops of a worker: event fan-out, timers, deliveries, files and maintenance. */
export function startLoops(app: App): Loop[] {
  const check = openPayloadCheck(app, eventCatalog);
  const told = [...eventHandlers, check.eventHandler];
  const round = async () => {
    const placed = await fanOut(app, told);
    if (placed > 0) for (const wakeup of ['positions', 'deliveries'] as const) app.notifier.notify(wakeup);
    return placed === FAN_OUT_BATCH;
  };
  return [
    startLoop(app, { name: 'fan-out', wakeup: 'events', everyMs: POLL_INTERVAL_MS, iterate: round }),
    startLoop(app, { name: 'payload-check', everyMs: PAYLOAD_CHECK_INTERVAL_MS, iterate: check.checkNext }),
    startLoop(app, {
      name: 'timers',
      wakeup: 'timers',
      everyMs: POLL_INTERVAL_MS,
      iterate: () => fireTimers(app),
    }),
    startSender(app),
    startPipelineSender(app),
    startIdempotencyCleaner(app),
    ...startFolderPolling(app),
    ...startLabReports(app),
    ...startUploadWorkers(app),
    startDataKeyRotation(app),
    startNameIndexing(app),
    startSealing(app),
    startRetention(app, removers),
  ];
}
