import type { App } from '../../app.ts';
import { leaseIdOf } from './bundle.ts';
import type { ClaimedRow } from './claim-store.ts';
import type { ClaimedMessage } from './claim.ts';
import { deliver, type DeliveryDependencies } from './deliver.ts';
import { openConcurrencyLimiter } from './concurrency-limiter.ts';
import { openLanes, type EndpointLanes } from './lanes.ts';
import { isSuccess, type AttemptOutcome } from './outcome.ts';
import { startRecorder } from './recorder.ts';
import { openParkedMessages } from './parked-messages.ts';
import { openRecentItems } from './recent-items.ts';

const IN_FLIGHT_MAX = 2048;
/** After this time a message counts as slow, and no longer occupies a slot of a fast one. */
const SLOW_AFTER_MS = 1000;
const SLOW_MAX = 2048;

export interface InFlight {
  readonly lanes: EndpointLanes;
  /** The leased ids: in flight, or sent but not recordable, which keep their lease for a while. */
  leasedIds(): string[];
  /** The number of free slots. */
  freeSlots(): number;
  start(claimed: ClaimedMessage): void;
  /** Waits for all messages in flight, at most for the response timeout, and records them. */
  drain(): Promise<void>;
}

/**
 * Tracks messages in flight: from the claim until the outcome is recorded. Slow ones are counted separately, so that
 * hundreds of dead endpoints do not block the others until they time out.
 */
export function openInFlight(
  app: App,
  { hands, landed }: { hands: DeliveryDependencies; landed: () => void },
): InFlight {
  const lanes = openLanes();
  const flying = openInFlightCounter();
  const quick = openRecentItems<ClaimedMessage>(SLOW_AFTER_MS);
  const unwritten = new Map<string, ClaimedRow>();
  const resting = openParkedMessages(app);
  const recorder = startRecorder(app, {
    onDone: (outcomes) => {
      for (const { claimed } of outcomes) unwritten.delete(claimed.row.id);
      landed();
    },
    onLost: ({ claimed }) => resting.add(leaseIdOf(claimed.row)),
  });
  const land = (outcome: AttemptOutcome) => {
    const { claimed, response } = outcome;
    gate.release(claimed);
    quick.delete(claimed);
    lanes.finish(claimed.row.endpoint_id, { ok: isSuccess(response), durationMs: response.durationMs });
    recorder.add(outcome);
    flying.decrement();
  };
  const way = { hands, ended: land };
  const gate = openConcurrencyLimiter<ClaimedMessage>((claimed) => {
    quick.add(claimed);
    deliver(app, claimed, way);
  });
  const slow = () => flying.count() - gate.waiting() - quick.count();
  return {
    lanes,
    leasedIds: () => [...new Set([...[...unwritten.values()].map(leaseIdOf), ...resting.ids()])],
    freeSlots: () => IN_FLIGHT_MAX - (unwritten.size - Math.min(slow(), SLOW_MAX)),
    start: (claimed) => {
      const { id, endpoint_id, troubled } = claimed.row;
      // The clock was set ahead and our own lease ended; claiming the message again has renewed it.
      if (unwritten.has(id)) return;
      unwritten.set(id, claimed.row);
      flying.increment();
      lanes.start(endpoint_id, troubled);
      gate.submit(claimed);
    },
    drain: async () => {
      await flying.untilZero();
      await recorder.close();
    },
  };
}

interface InFlightCounter {
  increment(): void;
  decrement(): void;
  count(): number;
  /** Resolves when the count is zero. */
  untilZero(): Promise<void>;
}

function openInFlightCounter(): InFlightCounter {
  let count = 0;
  let emptied = () => {};
  return {
    increment: () => void (count += 1),
    decrement: () => {
      count -= 1;
      if (count === 0) emptied();
    },
    count: () => count,
    untilZero: () =>
      new Promise((resolve) => {
        emptied = resolve;
        if (count === 0) resolve();
      }),
  };
}
