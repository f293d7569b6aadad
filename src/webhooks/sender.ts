import { readFileSync } from 'node:fs';
import type { App } from '../app.ts';
import type { Loop } from '../platform/jobs/loop.ts';
import { openClaims, type Claimed } from './claim.ts';
import { startCleaner } from './cleaner.ts';
import { deliver, type Hands } from './deliver.ts';
import { openLanes } from './lanes.ts';
import { isSuccess } from './outcome.ts';
import { openPost, PATIENCE_MS } from './post.ts';
import { startRecorder } from './recorder.ts';
import type { Random } from './schedule.ts';

const IN_FLIGHT_MAX = 512;
/** Fewer free places than this are not worth a question to the database. */
const REFILL_FROM = 64;
/** Between two questions, so that what ends meanwhile is made up for together. */
const GATHER_MS = 5;
const LOOK_EVERY_MS = 500;
const LOOK_FOR_LIMITED_MS = 50;
const AFTER_FAILURE_MS = 1000;

export interface SenderOptions {
  readonly random?: Random;
  readonly patienceMs?: number;
}

/**
 * Sends what is due, for ever: takes messages by lease, keeps hundreds on their way, and writes down in bulk what
 * came of them. Any number of senders work side by side. A sender that is killed loses nothing: its leases end,
 * and what it had sent without writing it down is sent once more under the same id.
 */
export function startSender(app: App, { random = Math.random, patienceMs = PATIENCE_MS }: SenderOptions = {}): Loop {
  const signal = openSignal();
  const lanes = openLanes();
  const claims = openClaims(app);
  const hands: Hands = { post: openPost(patienceMs), random, userAgent: userAgent(app.root) };
  let inFlight = 0;
  let stopped = false;
  const recorder = startRecorder(app, (count) => {
    inFlight -= count;
    signal.ring();
  });

  const launch = async (claimed: Claimed) => {
    const { endpoint_id } = claimed.row;
    inFlight += 1;
    lanes.start(endpoint_id);
    const outcome = await deliver(app, claimed, hands);
    lanes.finish(endpoint_id, { ok: isSuccess(outcome.answered), durationMs: outcome.answered.durationMs });
    recorder.add(outcome);
    signal.ring();
  };
  /** Answers how long to wait for a ring before looking again. */
  const round = async (): Promise<number> => {
    const free = IN_FLIGHT_MAX - inFlight;
    if (free < REFILL_FROM) return LOOK_EVERY_MS;
    const { claimed, limited, more } = await claims.take(free, lanes);
    for (const each of claimed) void launch(each);
    await pause(GATHER_MS);
    if (more || claimed.length > 0) return limited ? LOOK_FOR_LIMITED_MS : 0;
    return LOOK_EVERY_MS;
  };
  const running = repeat(app, { round, signal, stopped: () => stopped });
  const cleaner = startCleaner(app);
  const silence = app.bell.on('deliveries', signal.ring);
  return {
    stop: async () => {
      stopped = true;
      silence();
      signal.ring();
      await Promise.all([running, cleaner.stop()]);
      while (inFlight > 0 && (await signal.heard(patienceMs))) await recorder.close();
      await recorder.close();
      await hands.post.close();
    },
  };
}
