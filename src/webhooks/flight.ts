import type { App } from '../app.ts';
import type { Claimed } from './claim.ts';
import { deliver, type Hands } from './deliver.ts';
import { openLanes, type Lanes } from './lanes.ts';
import { isSuccess } from './outcome.ts';
import { startRecorder } from './recorder.ts';

const IN_FLIGHT_MAX = 512;
/** From then on a message is slow, and no longer takes the place of one that may be quick. */
const SLOW_AFTER_MS = 1000;
const SLOW_MAX = 2048;

export interface Flight {
  readonly lanes: Lanes;
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
  const flying = new Set<Promise<void>>();
  const unwritten = new Set<string>();
  let slow = 0;
  const recorder = startRecorder(app, (outcomes) => {
    for (const { delivery } of outcomes) unwritten.delete(delivery.id);
    landed();
  });
  const fly = async (claimed: Claimed) => {
    const { endpoint_id, troubled } = claimed.row;
    lanes.start(endpoint_id, troubled);
    const watch = watchSlow(() => (slow += 1));
    const outcome = await deliver(app, claimed, hands);
    if (watch.stop()) slow -= 1;
    lanes.finish(endpoint_id, { ok: isSuccess(outcome.answered), durationMs: outcome.answered.durationMs });
    recorder.add(outcome);
    landed();
  };
  return {
    lanes,
    free: () => IN_FLIGHT_MAX - (unwritten.size - Math.min(slow, SLOW_MAX)),
    launch: (claimed) => {
      const { id } = claimed.row;
      // The clock was set ahead and ended our own lease; taking it once more has renewed it.
      if (unwritten.has(id)) return;
      unwritten.add(id);
      const flight = fly(claimed).finally(() => flying.delete(flight));
      flying.add(flight);
    },
    end: async () => {
      await Promise.all(flying);
      await recorder.close();
    },
  };
}

/** `stop` answers whether it had become slow. */
function watchSlow(became: () => void): { stop(): boolean } {
  let slow = false;
  const timer = setTimeout(() => {
    slow = true;
    became();
  }, SLOW_AFTER_MS);
  return {
    stop: () => {
      clearTimeout(timer);
      return slow;
    },
  };
}
