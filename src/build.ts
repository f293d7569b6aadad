import { courierOf } from './adapters/courier/choose.ts';
import { simulatedCourier } from './adapters/courier/simulated.ts';
import { nats } from './adapters/event-destination/nats.ts';
import { rabbitMq } from './adapters/event-destination/rabbitmq.ts';
import { simulatedLabNetwork } from './adapters/lab-network/simulated.ts';
import type { App } from './app.ts';
import { asyncApiOf } from './asyncapi.ts';
import { aboutNobody, eventCatalog, eventTypes } from './event-catalog.ts';
import { FAN_OUT_BATCH, fanOut } from './events/fan-out.ts';
import type { Reaction } from './events/events.ts';
import { openPayloadCheck } from './events/payload-check.ts';
import { eventRoutes } from './events/routes.ts';
import { insuranceRoutes } from './insurance/insurance.ts';
import { seedLabTests } from './lab-testing/catalog/catalog.ts';
import { catalogRoutes } from './lab-testing/catalog/routes.ts';
import { seedLabAccounts } from './lab-testing/lab-accounts/lab-accounts.ts';
import { documentRoutes } from './lab-testing/documents/routes.ts';
import { labAccountRoutes } from './lab-testing/lab-accounts/routes.ts';
import { orderTransactionRoutes } from './lab-testing/order-transactions/routes.ts';
import { countOrders } from './lab-testing/orders/orders.ts';
import { requirePhysicians } from './lab-testing/orders/physicians.ts';
import { requestRequisition } from './lab-testing/orders/request-requisition.ts';
import { orderRoutes } from './lab-testing/orders/routes.ts';
import { resultRoutes } from './lab-testing/results/routes.ts';
import { shipmentJobs, shipmentReaction, shipmentRoutes } from './lab-testing/shipments/connect.ts';
import { simulationRoutes } from './lab-testing/simulation/routes.ts';
import { walkOn } from './lab-testing/simulation/simulation.ts';
import { openGate } from './management/gate.ts';
import { scopedTenant } from './management/management.ts';
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
import { pipelineReaction, startPipelineSender } from './pipelines/pipelines.ts';
import { pipelineRoutes } from './pipelines/routes.ts';
import { userJobs, userRoutes } from './users/users.ts';
import { replayMissing, startSender, webhookReaction } from './webhooks/webhooks.ts';
import { webhookRoutes } from './webhooks/routes.ts';

/** Chooses the bodies of the ports. Production has no laboratory and no courier until a real one is connected. */
export function buildApp(platform: Platform, root: URL): App {
  requirePhysicians(platform.config);
  return {
    ...platform,
    root,
    labNetworks: { sandbox: simulatedLabNetwork(), production: undefined },
    couriers: { sandbox: simulatedCourier(), production: courierOf(platform.config) },
    eventDestinations: { rabbitmq: rabbitMq(), nats: nats() },
    eventTypes,
    tenantSeeds: [seedLabTests, seedLabAccounts],
  };
}

/** Everything that is done outside a request, of all slices. */
export const jobs: readonly AnyJob<App>[] = [
  ...userJobs,
  requestRequisition,
  walkOn,
  ...shipmentJobs,
  replayMissing,
];

/** Everybody who is told of every event. */
export const reactions: readonly Reaction<App>[] = [webhookReaction, pipelineReaction, shipmentReaction];

/** The table of all routes, bound to an app. */
export function buildHttp(app: App): Http {
  const http = openHttp(app, openGate(app));
  const scoped = scopedTenant(app);
  userRoutes(http, app, { countOrders });
  insuranceRoutes(http, app);
  catalogRoutes(http, app);
  labAccountRoutes(http, app);
  orderRoutes(http, app);
  simulationRoutes(http, app);
  shipmentRoutes(http, app);
  orderTransactionRoutes(http);
  resultRoutes(http);
  documentRoutes(http, app);
  managementRoutes(http, app);
  webhookRoutes(http, app, { scoped, catalog: eventCatalog });
  eventRoutes(http, app, scoped);
  pipelineRoutes(http, app, scoped);
  probeRoutes(http, app);
  pageRoutes(http, {
    openApi: () => documentOf(http, app.config.BRAND),
    asyncApi: () => asyncApiOf(eventCatalog, aboutNobody),
  });
  return http;
}

/** What a worker serves: whether it is alive and ready. */
export function buildProbes(app: App): Http {
  const http = openHttp(app, openGate(app));
  probeRoutes(http, app);
  return http;
}

/** The OpenAPI document of every route, without a database behind it: for drift checks and the contract check. */
export async function buildOpenApi(root: URL, brand = 'service'): Promise<object> {
  const log = openLog('silent');
  const config = readConfig({ BRAND: brand });
  const pools = openPools({}, 1, log);
  const keyring = openKeyring(pools.db, Buffer.alloc(32).toString('base64'));
  const http = buildHttp(
    buildApp({ config, log, clock: systemClock, keyring, db: pools.db, bell: openBell() }, root),
  );
  await pools.close();
  return documentOf(http, brand);
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
  ];
}
