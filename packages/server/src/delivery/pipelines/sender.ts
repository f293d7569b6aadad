import { performance } from 'node:perf_hooks';
import type { App } from '../../app.ts';
import { later } from '../../platform/clock.ts';
import { asSystem } from '../../platform/db/transact.ts';
import { latestCredibleLease } from '../../platform/jobs/lease.ts';
import { startLoop, type Loop } from '../../platform/jobs/loop.ts';
import { startPipelineCleaner } from './cleaner.ts';
import { FAILOVER_AFTER_MS, type JitterSource } from './health.ts';
import { LEASE_MS, drainDestination, type PipelineSenderContext } from './drain-destination.ts';
import { openBrokerConnections } from './broker-connections.ts';
import {
  hasAnyDestination,
  claimDestinations,
  failOverToReserve,
  type ClaimedDestination,
} from './queue-store.ts';

/** Destinations that one sender serves at once. An unreachable broker is paused and does not count. */
const DESTINATIONS_MAX = 256;
const POLL_EVERY_MS = 500;
/** Tolerance, so that the poll after this time is not skipped. */
const SLACK_MS = 50;

/**
 * Starts the sender: it publishes enqueued events, with one concurrent task per destination, so that a slow broker
 * delays no other. Any number of senders can run concurrently; a lease assigns a destination to one of them at a time.
 */
export function startPipelineSender(
  app: App,
  { random = Math.random }: { random?: JitterSource } = {},
): Loop {
  const lines = openBrokerConnections(app);
  const flying = new Map<string, Promise<void>>();
  let stopped = false;
  const crew: PipelineSenderContext = { connections: lines, random, stopped: () => stopped };
  const launch = (destination: ClaimedDestination) => {
    const flight = drainDestination(app, destination, crew)
      .catch((error: unknown) => {
        app.log.warn(
          { err: error, destination_id: destination.id },
          'publishing to a broker was aborted by an error; another sender continues',
        );
      })
      .finally(() => flying.delete(destination.id));
    flying.set(destination.id, flight);
  };
  const round = createSenderRound(app, { inFlight: flying, launch });
  const loop = startLoop(app, {
    name: 'pipeline-sender',
    wakeup: 'deliveries',
    everyMs: POLL_EVERY_MS,
    iterate: round,
  });
  const cleaner = startPipelineCleaner(app);
  return {
    stop: async () => {
      stopped = true;
      await Promise.all([loop.stop(), cleaner.stop()]);
      await Promise.all(flying.values());
      await lines.close();
    },
  };
}

interface SenderLanes {
  readonly inFlight: ReadonlyMap<string, unknown>;
  readonly launch: (destination: ClaimedDestination) => void;
}

/** One iteration: fails over and claims due destinations. Without any broker, wakeups are ignored for a while. */
function createSenderRound(app: App, { inFlight, launch }: SenderLanes): () => Promise<boolean> {
  let quietUntil = 0;
  return async () => {
    const limit = DESTINATIONS_MAX - inFlight.size;
    if (limit <= 0 || performance.now() < quietUntil) return false;
    const now = app.clock.now();
    const lease = { leasedUntil: later(now, LEASE_MS), unbelievable: latestCredibleLease(now, LEASE_MS) };
    const claim = { now, ...lease, limit, except: [...inFlight.keys()] };
    const { any, moved, claimed } = await asSystem(app.db, async (tx) => {
      if (!(await hasAnyDestination(tx))) return { any: false, moved: 0, claimed: [] };
      const handed = await failOverToReserve(tx, { before: later(now, -FAILOVER_AFTER_MS), now });
      return { any: true, moved: handed, claimed: await claimDestinations(tx, claim) };
    });
    if (!any) quietUntil = performance.now() + POLL_EVERY_MS - SLACK_MS;
    for (const destination of claimed) launch(destination);
    return moved > 0;
  };
}
