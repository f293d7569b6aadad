import { openWitness, startSealing } from './access-log/access-log.ts';
import { accessLogRoutes } from './access-log/routes.ts';
import { courierOf } from './adapters/courier/choose.ts';
import { simulatedCourier } from './adapters/courier/simulated.ts';
import { textRecordsOf } from './adapters/dns/choose.ts';
import { nats } from './adapters/event-destination/nats.ts';
import { rabbitMq } from './adapters/event-destination/rabbitmq.ts';
import { fileStorageOf } from './adapters/file-storage/choose.ts';
import { readFhirReports } from './adapters/lab-network/fhir/fhir.ts';
import { withoutFhirReports } from './adapters/lab-network/fhir/without.ts';
import { hl7LabNetwork } from './adapters/lab-network/hl7/network.ts';
import { labWire } from './adapters/lab-network/hl7/wire.ts';
import { simulatedLabNetwork } from './adapters/lab-network/simulated.ts';
import { mailerOf } from './adapters/mail/choose.ts';
import { extractorOf } from './adapters/report-extractor/choose.ts';
import { schedulingProvidersOf } from './adapters/scheduling/choose.ts';
import { aggregationRoutes } from './aggregation/routes.ts';
import { wearableProviders } from './adapters/wearable-provider/choose.ts';
import type { App } from './app.ts';
import { asyncApiOf } from './asyncapi.ts';
import { aboutNobody, eventCatalog, eventTypes } from './event-catalog.ts';
import {
  answerAllAnew,
  answerForOrder,
  continuousQueryJobs,
  continuousQueryReaction,
  continuousQueryRoutes,
} from './continuous-queries/continuous-queries.ts';
import { ehrIntegrationRoutes } from './ehr-integration/routes.ts';
import { FAN_OUT_BATCH, fanOut } from './events/fan-out.ts';
import type { Reaction } from './events/events.ts';
import { openPayloadCheck } from './events/payload-check.ts';
import { eventRoutes } from './events/routes.ts';
import { insuranceRoutes } from './insurance/insurance.ts';
import { labReportRoutes, startLabReports } from './lab-reports/lab-reports.ts';
import { areaRoutes } from './lab-testing/areas/routes.ts';
import {
  appointmentJobs,
  appointmentReaction,
  appointmentRoutes,
  callOffInGrace,
  callOffVisits,
} from './lab-testing/appointments/connect.ts';
import { refreshAvailability } from './lab-testing/availability/availability.ts';
import { seedLabTests } from './lab-testing/catalog/catalog.ts';
import { catalogRoutes } from './lab-testing/catalog/routes.ts';
import { seedLabAccounts } from './lab-testing/lab-accounts/lab-accounts.ts';
import {
  criticalReaction,
  criticalResultJobs,
  criticalResultRoutes,
} from './lab-testing/critical-results/connect.ts';
import { documentRoutes } from './lab-testing/documents/routes.ts';
import { incomingResultJobs, kitReaction } from './lab-testing/incoming-results/connect.ts';
import {
  labConnectionJobs,
  redactMessages,
  labConnectionRoutes,
  openOutbox,
  startLabFolders,
  withdrawOrders,
} from './lab-testing/lab-connections/connect.ts';
import { labAccountRoutes } from './lab-testing/lab-accounts/routes.ts';
import { orderTransactionRoutes } from './lab-testing/order-transactions/routes.ts';
import { startNameIndexing } from './lab-testing/orders/index-names.ts';
import { countOrders } from './lab-testing/orders/orders.ts';
import { requirePhysicians } from './lab-testing/orders/physicians.ts';
import { requestRequisition } from './lab-testing/orders/request-requisition.ts';
import { orderRoutes } from './lab-testing/orders/routes.ts';
import { withdrawRequisitions } from './lab-testing/orders/withdraw-erased.ts';
import { areaSources } from './lab-testing/patient-service-centers/patient-service-centers.ts';
import { patientServiceCenterRoutes } from './lab-testing/patient-service-centers/routes.ts';
import { resultRoutes } from './lab-testing/results/routes.ts';
import { shipmentJobs, shipmentReaction, shipmentRoutes } from './lab-testing/shipments/connect.ts';
import { simulationRoutes } from './lab-testing/simulation/routes.ts';
import { walkOn } from './lab-testing/simulation/simulation.ts';
import { mailJobs } from './mail/mail.ts';
import { unmatchedResultRoutes } from './lab-testing/unmatched-results/routes.ts';
import { openGate } from './management/gate.ts';
import { dataKeyRoutes, startKeyRotation } from './data-keys/data-keys.ts';
import { keyJobs, scopedTenant, scopedTenantEver } from './management/management.ts';
import { managementRoutes } from './management/routes.ts';
import { documentOf } from './openapi.ts';
import { startIdempotencyCleaner } from './platform/http/idempotency-cleaner.ts';
import { pageRoutes, probeRoutes } from './pages.ts';
import { systemClock } from './platform/clock.ts';
import { readConfig } from './platform/config.ts';
import { openKeyring } from './platform/crypto/keyring.ts';
import { openPools } from './platform/db/open.ts';
import { openLog } from './platform/log.ts';
import { openBell } from './platform/jobs/bell.ts';
import { openHttp, type Http } from './platform/http/http.ts';
import type { AnyJob } from './platform/jobs/jobs.ts';
import { startLoop, type Loop } from './platform/jobs/loop.ts';
import { fireTimers } from './platform/jobs/timers.ts';
import type { Platform } from './platform/work.ts';
import { endPipelines, handOnBacklog, pipelineReaction, startPipelineSender } from './pipelines/pipelines.ts';
import { pipelineRoutes } from './pipelines/routes.ts';
import { organizationRoutes } from './organizations/routes.ts';
import { providerSettingRoutes } from './provider-settings/routes.ts';
import { userJobs, userRoutes } from './users/users.ts';
import {
  connectedSources,
  connectionJobs,
  connectionRoutes,
  connectionsByWeek,
  countConnections,
  disconnectAll,
  endConnections,
} from './wearables/connections/routes.ts';
import { dailyTotalRoutes } from './wearables/daily/daily.ts';
import { pushRoutes } from './wearables/push/routes.ts';
import { wearableReadRoutes } from './wearables/reads/reads.ts';
import { foldSamples } from './wearables/samples/fold.ts';
import { startWearableFiles, wearableFileRoutes } from './wearables/uploads/uploads.ts';
import {
  disableEndpoints,
  forgetAttempts,
  moveQueueOn,
  removeEndpointOn,
  replayMissing,
  startSender,
  webhookReaction,
} from './webhooks/webhooks.ts';
import { wearableProvidersOf } from './wearable-providers.ts';
import { webhookRoutes } from './webhooks/routes.ts';

/** For the command that runs a laboratory beside the service. */
export { openSimulatedLaboratory } from './adapters/lab-network/hl7/simulated-laboratory.ts';

/** Chooses the bodies of the ports. Production has no courier until a real one is connected. */
export function buildApp(platform: Platform, root: URL): App {
  requirePhysicians(platform.config);
  const wire = labWire({ read: readFhirReports, without: withoutFhirReports });
  return {
    ...platform,
    root,
    labNetworks: { sandbox: simulatedLabNetwork(), production: hl7LabNetwork(openOutbox(platform, wire)) },
    labWire: wire,
    couriers: { sandbox: simulatedCourier(), production: courierOf(platform.config) },
    schedulingProviders: schedulingProvidersOf(platform.config),
    eventDestinations: { rabbitmq: rabbitMq(), nats: nats() },
    wearableProviders: wearableProvidersOf(platform, wearableProviders),
    fileStorage: fileStorageOf(platform.config),
    reportExtractor: extractorOf(platform.config),
    mailer: mailerOf(platform.config, platform.log),
    textRecords: textRecordsOf(platform.config),
    eventTypes,
    upkeepJobs: jobs.filter(({ isUpkeep }) => isUpkeep).map(({ name }) => name),
    tenantSeeds: [seedLabTests, seedLabAccounts],
    tenantEndings: [disableEndpoints, endPipelines, endConnections],
  };
}

/** Everything that is done outside a request, of all slices. */
export const jobs: readonly AnyJob<App>[] = [
  ...userJobs([redactMessages, forgetAttempts, callOffVisits, withdrawOrders, withdrawRequisitions]),
  requestRequisition,
  walkOn,
  ...shipmentJobs,
  ...labConnectionJobs,
  ...appointmentJobs,
  ...criticalResultJobs,
  ...incomingResultJobs,
  ...mailJobs,
  ...keyJobs,
  ...connectionJobs,
  foldSamples,
  ...continuousQueryJobs,
  refreshAvailability,
  replayMissing,
  moveQueueOn,
  removeEndpointOn,
  handOnBacklog,
];

/** Everybody who is told of every event. */
export const reactions: readonly Reaction<App>[] = [
  webhookReaction,
  pipelineReaction,
  shipmentReaction,
  appointmentReaction,
  criticalReaction,
  kitReaction,
  continuousQueryReaction,
];

/** The table of all routes, bound to an app. */
export function buildHttp(app: App): Http {
  const http = openHttp(app, openGate(app), openWitness(app));
  const scoped = scopedTenant(app);
  userRoutes(http, app, {
    countOrders,
    connectedSources,
    connectionsByWeek,
    countConnections,
    callOffInGrace,
    disconnectAll,
    answerAnew: answerAllAnew,
  });
  insuranceRoutes(http, app);
  catalogRoutes(http, app);
  labAccountRoutes(http, app);
  labConnectionRoutes(http, app, scoped);
  orderRoutes(http, app);
  simulationRoutes(http, app);
  shipmentRoutes(http, app);
  appointmentRoutes(http, app);
  patientServiceCenterRoutes(http);
  areaRoutes(http, areaSources(app));
  orderTransactionRoutes(http);
  resultRoutes(http);
  criticalResultRoutes(http);
  unmatchedResultRoutes(http);
  documentRoutes(http, app);
  labReportRoutes(http, app);
  managementRoutes(http, app);
  organizationRoutes(http, app);
  providerSettingRoutes(http, app, { orderChanged: answerForOrder });
  ehrIntegrationRoutes(http, app);
  wearableRoutes(http, app);
  aggregationRoutes(http);
  continuousQueryRoutes(http, app, scoped);
  webhookRoutes(http, app, { scoped, catalog: eventCatalog });
  eventRoutes(http, app, scoped);
  pipelineRoutes(http, app, scoped);
  dataKeyRoutes(http, app, scoped);
  accessLogRoutes(http, app, scopedTenantEver(app));
  probeRoutes(http, app);
  pageRoutes(http, {
    openApi: () => documentOf(http, app.config.BRAND),
    asyncApi: () => asyncApiOf(eventCatalog, aboutNobody),
  });
  return http;
}

function wearableRoutes(http: Http, app: App): void {
  wearableReadRoutes(http);
  connectionRoutes(http, app);
  wearableFileRoutes(http, app);
  pushRoutes(http, app);
  dailyTotalRoutes(http);
}

/** What a worker serves: whether it is alive and ready. */
export function buildProbes(app: App): Http {
  const http = openHttp(app, openGate(app));
  probeRoutes(http, app);
  return http;
}

/** The OpenAPI document of every route, without a database behind it: for drift checks and the contract check. */
export const buildOpenApi = async (root: URL, brand = 'service'): Promise<object> =>
  documentOf(await buildTable(root, brand), brand);

/** The table of all routes, which nobody can ask: for what is printed of it. */
export async function buildTable(root: URL, brand = 'service'): Promise<Http> {
  const log = openLog('silent');
  const config = readConfig({ BRAND: brand });
  const pools = openPools({}, 1, log);
  const keyring = openKeyring(pools.db, Buffer.alloc(32).toString('base64'));
  const http = buildHttp(
    buildApp({ config, log, clock: systemClock, keyring, db: pools.db, bell: openBell() }, root),
  );
  await pools.close();
  return http;
}

const LOOK_EVERY_MS = 500;
const CHECK_EVERY_MS = 1000;

/** The loops of a worker: rows become places in the log, jobs, deliveries. */
export function startLoops(app: App): Loop[] {
  const check = openPayloadCheck(app, eventCatalog);
  const told = [...reactions, check.reaction];
  const round = async () => {
    const placed = await fanOut(app, told);
    if (placed > 0) app.bell.ring('deliveries');
    return placed === FAN_OUT_BATCH;
  };
  return [
    startLoop(app, { name: 'fan-out', ring: 'events', everyMs: LOOK_EVERY_MS, round }),
    startLoop(app, { name: 'payload-check', everyMs: CHECK_EVERY_MS, round: check.look }),
    startLoop(app, { name: 'timers', ring: 'timers', everyMs: LOOK_EVERY_MS, round: () => fireTimers(app) }),
    startSender(app),
    startPipelineSender(app),
    startIdempotencyCleaner(app),
    ...startLabFolders(app),
    ...startLabReports(app),
    ...startWearableFiles(app),
    startKeyRotation(app),
    startNameIndexing(app),
    startSealing(app),
  ];
}
