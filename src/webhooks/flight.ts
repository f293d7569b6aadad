import type { App } from '../app.ts';
import { leaseOf } from './bundle.ts';
import type { ClaimedRow } from './claim-store.ts';
import type { Claimed } from './claim.ts';
import { deliver, type Hands } from './deliver.ts';
import { openGate } from './gate.ts';
import { openLanes, type Lanes } from './lanes.ts';
import { isSuccess, type Outcome } from './outcome.ts';
import { startRecorder } from './recorder.ts';
import { openResting } from './resting.ts';
import { openYoung } from './young.ts';

const IN_FLIGHT_MAX = 2048;
/** From then on a message is slow, and no longer takes the place of one that may be quick. */
const SLOW_AFTER_MS = 1000;
const SLOW_MAX = 2048;

export interface Flight {
  readonly lanes: Lanes;
  /** What is leased: what is on its way, or could not be written down and keeps its lease for a while. */
  onTheWay(): string[];
  /** How many more may be on their way. */
  free(): number;
  launch(claimed: Claimed): void;
  /** Waits for all that is on its way, no longer than an answer may take, and writes it down. */
  end(): Promise<void>;
}

/**
 * What is on its way: from the claim until the outcome is written. Whoever waits long for answers is counted apart,
 * so that hundreds of dead endpoints at once do not keep the others waiting for their time to run out.
 */
export function openFlight(app: App, { hands, landed }: { hands: Hands; landed: () => void }): Flight {
  const lanes = openLanes();
  const flying = openFlying();
  const quick = openYoung<Claimed>(SLOW_AFTER_MS);
  const unwritten = new Map<string, ClaimedRow>();
  const resting = openResting(app);
  const recorder = startRecorder(app, {
    done: (outcomes) => {
      for (const { claimed } of outcomes) unwritten.delete(claimed.row.id);
      landed();
    },
    lost: ({ claimed }) => resting.add(leaseOf(claimed.row)),
  });
  const land = (outcome: Outcome) => {
    const { claimed, answered } = outcome;
    gate.leave(claimed);
    quick.delete(claimed);
    lanes.finish(claimed.row.endpoint_id, { ok: isSuccess(answered), durationMs: answered.durationMs });
    recorder.add(outcome);
    flying.left();
  };
  const way = { hands, ended: land };
  const gate = openGate<Claimed>((claimed) => {
    quick.add(claimed);
    deliver(app, claimed, way);
  });
  const slow = () => flying.count() - gate.waiting() - quick.count();
  return {
    lanes,
    onTheWay: () => [...new Set([...[...unwritten.values()].map(leaseOf), ...resting.ids()])],
    free: () => IN_FLIGHT_MAX - (unwritten.size - Math.min(slow(), SLOW_MAX)),
    launch: (claimed) => {
      const { id, endpoint_id, troubled } = claimed.row;
      // The clock was set ahead and ended our own lease; taking it once more has renewed it.
      if (unwritten.has(id)) return;
      unwritten.set(id, claimed.row);
      flying.took();
      lanes.start(endpoint_id, troubled);
      gate.enter(claimed);
    },
    end: async () => {
      await flying.landed();
      await recorder.close();
    },
  };
}

interface Flying {
  took(): void;
  left(): void;
  count(): number;
  /** All have landed. */
  landed(): Promise<void>;
}

function openFlying(): Flying {
  let count = 0;
  let emptied = () => {};
  return {
    took: () => void (count += 1),
    left: () => {
      count -= 1;
      if (count === 0) emptied();
    },
    count: () => count,
    landed: () =>
      new Promise((resolve) => {
        emptied = resolve;
        if (count === 0) resolve();
      }),
  };
}
