import { simulatedCourier } from './adapters/courier/simulated.ts';
import { simulatedLabNetwork } from './adapters/lab-network/simulated.ts';
import type { App } from './app.ts';
import { FAN_OUT_BATCH, fanOut } from './events/fan-out.ts';
import type { Reaction } from './events/events.ts';
import { eventRoutes } from './events/routes.ts';
import { insuranceRoutes } from './insurance/insurance.ts';
import { seedLabTests } from './lab-testing/catalog/catalog.ts';
import { catalogRoutes } from './lab-testing/catalog/routes.ts';
import { seedLabAccounts } from './lab-testing/lab-accounts/lab-accounts.ts';
import { labAccountRoutes } from './lab-testing/lab-accounts/routes.ts';
import { countOrders } from './lab-testing/orders/orders.ts';
import { orderRoutes } from './lab-testing/orders/routes.ts';
import { resultRoutes } from './lab-testing/results/routes.ts';
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
import { userJobs, userRoutes } from './users/users.ts';
import { startSender, webhookReaction } from './webhooks/webhooks.ts';
import { webhookRoutes } from './webhooks/routes.ts';

/** Chooses the bodies of the ports. Production has no laboratory and no courier until a real one is connected. */
export function buildApp(platform: Platform, root: URL): App {
  return {
    ...platform,
    root,
    labNetworks: { sandbox: simulatedLabNetwork(), production: undefined },
    couriers: { sandbox: simulatedCourier(), production: undefined },
    tenantSeeds: [seedLabTests, seedLabAccounts],
  };
}

/** Everything that is done outside a request, of all slices. */
export const jobs: readonly AnyJob<App>[] = [...userJobs, walkOn];

/** Everybody who is told of every event. */
export const reactions: readonly Reaction<App>[] = [webhookReaction];

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
  resultRoutes(http);
  managementRoutes(http, app);
  webhookRoutes(http, app, scoped);
  eventRoutes(http, app, scoped);
  probeRoutes(http, app);
  pageRoutes(http, () => documentOf(http, app.config.BRAND));
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

/** The loops of a worker: rows become places in the log, jobs, deliveries. */
export function startLoops(app: App): Loop[] {
  const round = async () => {
    const placed = await fanOut(app, reactions);
    if (placed > 0) app.bell.ring('deliveries');
    return placed === FAN_OUT_BATCH;
  };
  return [
    startLoop(app, { name: 'fan-out', ring: 'events', everyMs: LOOK_EVERY_MS, round }),
    startLoop(app, { name: 'timers', ring: 'timers', everyMs: LOOK_EVERY_MS, round: () => fireTimers(app) }),
    startSender(app),
    startIdempotencyCleaner(app),
  ];
}
