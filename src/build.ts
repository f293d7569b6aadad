import { simulatedCourier } from './adapters/courier/simulated.ts';
import { simulatedLabNetwork } from './adapters/lab-network/simulated.ts';
import type { App } from './app.ts';
import { fanOut } from './events/fan-out.ts';
import type { Reaction } from './events/events.ts';
import { eventRoutes } from './events/routes.ts';
import { openHttp, type Http } from './platform/http/http.ts';
import type { AnyJob } from './platform/jobs/jobs.ts';
import { startLoop, type Loop } from './platform/jobs/loop.ts';
import { fireTimers } from './platform/jobs/timers.ts';
import type { Platform } from './platform/work.ts';

/** Chooses the bodies of the ports. Production has no laboratory and no courier until a real one is connected. */
export function buildApp(platform: Platform, root: URL): App {
  return {
    ...platform,
    root,
    labNetworks: { sandbox: simulatedLabNetwork(), production: undefined },
    couriers: { sandbox: simulatedCourier(), production: undefined },
    tenantSeeds: [],
  };
}

/** Everything that is done outside a request, of all slices. */
export const jobs: readonly AnyJob<App>[] = [];

/** Everybody who is told of every event. */
export const reactions: readonly Reaction<App>[] = [];

/** The table of all routes, bound to an app. */
export function buildHttp(app: App): Http {
  const http = openHttp(app, openGate(app));
  return http;
}

const LOOK_EVERY_MS = 500;

/** The loops of a worker: rows become places in the log, jobs, deliveries. */
export function startLoops(app: App): Loop[] {
  return [
    startLoop(app, { name: 'fan-out', ring: 'events', everyMs: LOOK_EVERY_MS, round: () => fanOut(app, reactions) }),
    startLoop(app, { name: 'timers', ring: 'timers', everyMs: LOOK_EVERY_MS, round: () => fireTimers(app) }),
  ];
}
