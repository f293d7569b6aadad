import { readFileSync } from 'node:fs';
import { performance } from 'node:perf_hooks';
import { z } from 'zod';
import type { App } from '../app.ts';
import type { Loop } from '../platform/jobs/loop.ts';
import { openClaims, type Claimed, type Claims } from './claim.ts';
import { startCleaner } from './cleaner.ts';
import type { Hands } from './deliver.ts';
import { openFlight, type Flight } from './flight.ts';
import { openPost, PATIENCE_MS } from './post.ts';
import type { Random } from './schedule.ts';
import { openSignal, type Signal } from './signal.ts';
import { signAhead } from './signing/ahead.ts';
import { openSigner } from './signing/signer.ts';

/** Fewer free places than this are not worth a question to the database. */
const REFILL_FROM = 512;
/** Between two questions, so that what ends meanwhile is made up for together. */
const GATHER_MS = 5;
const LOOK_EVERY_MS = 500;
const LOOK_FOR_LIMITED_MS = 50;
/** How long after its last message a limited endpoint is looked after more often. */
const LIMITED_MEMORY_MS = 2000;
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
export function startSender(
  app: App,
  { random = Math.random, patienceMs = PATIENCE_MS }: SenderOptions = {},
): Loop {
  const signal = openSignal();
  const hands: Hands = { post: openPost(patienceMs), random, userAgent: userAgent(app.root) };
  const flight = openFlight(app, { hands, landed: signal.ring });
  let stopped = false;
  const claims = openClaims(app);
  const signer = openSigner();
  const launch = (claimed: readonly Claimed[]) => signAhead(app, claimed, { signer, go: flight.launch });
  const running = repeat(app, {
    round: rounds(flight, { claims, launch }),
    signal,
    stopped: () => stopped,
  });
  const cleaner = startCleaner(app);
  const silence = app.bell.on('deliveries', signal.ring);
  return {
    stop: async () => {
      stopped = true;
      silence();
      signal.ring();
      await Promise.all([running, cleaner.stop()]);
      await Promise.all([flight.end(), signer.close()]);
      // Should the database be away, the lease ends by itself.
      await claims.end().catch(() => {});
      await hands.post.close();
    },
  };
}

interface Rounds {
  readonly claims: Claims;
  readonly launch: (claimed: readonly Claimed[]) => Promise<void>;
}

/** One look into the queue; answers how long to wait for a ring before the next. */
function rounds(flight: Flight, { claims, launch }: Rounds): () => Promise<number> {
  let limitedUntil = 0;
  return async () => {
    const free = flight.free();
    if (free < REFILL_FROM) return LOOK_EVERY_MS;
    const { claimed, limited, more } = await claims.take(free, flight);
    await launch(claimed);
    await pause(GATHER_MS);
    if (limited) limitedUntil = performance.now() + LIMITED_MEMORY_MS;
    else if (more || claimed.length > 0) return 0;
    return performance.now() < limitedUntil ? LOOK_FOR_LIMITED_MS : LOOK_EVERY_MS;
  };
}

interface Repeated {
  readonly round: () => Promise<number>;
  readonly signal: Signal;
  readonly stopped: () => boolean;
}

async function repeat(app: App, { round, signal, stopped }: Repeated): Promise<void> {
  while (!stopped()) {
    const waitMs = await round().catch((error: unknown) => {
      app.log.warn({ loop: 'sender', err: error }, 'a round failed; it is tried again');
      return undefined;
    });
    if (stopped()) return;
    if (waitMs === undefined) await pause(AFTER_FAILURE_MS);
    else if (waitMs > 0) await signal.heard(waitMs);
  }
}

const pause = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));

function userAgent(root: URL): string {
  const { version } = Package.parse(JSON.parse(readFileSync(new URL('package.json', root), 'utf8')));
  return `aliquot/${version}`;
}

const Package = z.object({ version: z.string() });
