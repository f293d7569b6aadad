import { performance } from 'node:perf_hooks';
import type { App } from '../app.ts';
import { later } from '../platform/clock.ts';
import { asSystem } from '../platform/db/transact.ts';
import { startLoop, type Loop } from '../platform/jobs/loop.ts';
import { startPipelineCleaner } from './cleaner.ts';
import { GRACE_MS, type Random } from './health.ts';
import { LEASE_MS, runLane, type Crew } from './lane.ts';
import { openLines } from './lines.ts';
import { anyDestination, claimDestinations, handOver, type ClaimedDestination } from './queue-store.ts';

/** Destinations that one sender works on at once. A broker that is away takes no place: it is left in peace. */
const LANES_MAX = 256;
const LOOK_EVERY_MS = 500;
/** Longer than any lease or pause. */
const UNBELIEVABLE_MS = 2 * LEASE_MS;
/** So that the look after this time is one. */
const SLACK_MS = 50;

/**
 * Publishes what brokers are owed, for ever, one lane a destination, so that who is slow delays nobody else. Any number
 * of senders work side by side; a destination is one sender's at a time, by lease.
 */
export function startPipelineSender(app: App, { random = Math.random }: { random?: Random } = {}): Loop {
  const lines = openLines(app);
  const flying = new Map<string, Promise<void>>();
  let stopped = false;
  const crew: Crew = { lines, random, stopped: () => stopped };
  const launch = (destination: ClaimedDestination) => {
    const flight = runLane(app, destination, crew)
      .catch((error: unknown) => {
        app.log.warn(
          { err: error, destination_id: destination.id },
          'a broker was left in the middle of its work',
        );
      })
      .finally(() => flying.delete(destination.id));
    flying.set(destination.id, flight);
  };
  const round = rounds(app, { flying, launch });
  const loop = startLoop(app, { name: 'pipeline-sender', ring: 'deliveries', everyMs: LOOK_EVERY_MS, round });
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

interface Lanes {
  readonly flying: ReadonlyMap<string, unknown>;
  readonly launch: (destination: ClaimedDestination) => void;
}

/** One look for what is due. Where nobody has a broker, rings are not worth a question each. */
function rounds(app: App, { flying, launch }: Lanes): () => Promise<boolean> {
  let quietUntil = 0;
  return async () => {
    const limit = LANES_MAX - flying.size;
    if (limit <= 0 || performance.now() < quietUntil) return false;
    const now = app.clock.now();
    const lease = { leasedUntil: later(now, LEASE_MS), unbelievable: later(now, UNBELIEVABLE_MS) };
    const claim = { now, ...lease, limit, but: [...flying.keys()] };
    const { any, moved, claimed } = await asSystem(app.db, async (tx) => {
      if (!(await anyDestination(tx))) return { any: false, moved: 0, claimed: [] };
      const handed = await handOver(tx, { before: later(now, -GRACE_MS), now });
      return { any: true, moved: handed, claimed: await claimDestinations(tx, claim) };
    });
    if (!any) quietUntil = performance.now() + LOOK_EVERY_MS - SLACK_MS;
    for (const destination of claimed) launch(destination);
    return moved > 0;
  };
}
