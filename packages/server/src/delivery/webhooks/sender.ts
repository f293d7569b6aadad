import { readFileSync } from 'node:fs';
import { performance } from 'node:perf_hooks';
import { z } from 'zod';
import type { App } from '../../app.ts';
import type { Loop } from '../../platform/jobs/loop.ts';
import { openClaims, type ClaimedMessage, type DeliveryClaims } from './claim.ts';
import { startCleaner } from './cleaner.ts';
import type { DeliveryDependencies } from './deliver.ts';
import { openInFlight, type InFlight } from './in-flight.ts';
import { openHttpPoster, TIMEOUT_MS } from './http-poster.ts';
import type { RetryJitter } from './schedule.ts';
import { openSignal, type WakeSignal } from './signal.ts';
import { presign } from './signing/presign.ts';
import { openSigner } from './signing/signer.ts';

/** With fewer free slots than this a query is not worthwhile. */
const REFILL_MIN = 512;
/** Pause between two claims, so that finished messages are replaced together. */
const GATHER_MS = 5;
const POLL_INTERVAL_MS = 500;
const LIMITED_POLL_INTERVAL_MS = 50;
/** How long a rate-limited endpoint is polled more often after its last message. */
const LIMITED_MEMORY_MS = 2000;
const AFTER_FAILURE_MS = 1000;

interface SenderOptions {
  readonly random?: RetryJitter;
  readonly patienceMs?: number;
}

/**
 * Sends due messages continuously: claims messages by lease, keeps hundreds in flight, and records their outcomes in
 * bulk. Any number of senders can run concurrently. Guarantees at-least-once delivery: when a sender is killed its
 * leases end, and messages that it sent without recording are sent again with the same id.
 */
export function startSender(
  app: App,
  { random = Math.random, patienceMs = TIMEOUT_MS }: SenderOptions = {},
): Loop {
  const signal = openSignal();
  const hands: DeliveryDependencies = {
    poster: openHttpPoster(patienceMs),
    random,
    userAgent: userAgent(app.root),
  };
  const flight = openInFlight(app, { hands, landed: signal.wake });
  let stopped = false;
  const claims = openClaims(app);
  const signer = openSigner();
  const launch = (claimed: readonly ClaimedMessage[]) =>
    presign(app, claimed, { signer, send: flight.start });
  const running = repeat(app, {
    iterate: createIteration(flight, { claims, launch }),
    signal,
    stopped: () => stopped,
  });
  const cleaner = startCleaner(app);
  const silence = app.notifier.subscribe('deliveries', signal.wake);
  return {
    stop: async () => {
      stopped = true;
      silence();
      signal.wake();
      await Promise.all([running, cleaner.stop()]);
      await Promise.all([flight.drain(), signer.close()]);
      // If the database is unavailable, the lease ends on its own.
      await claims.release().catch(() => {});
      await hands.poster.close();
    },
  };
}

interface SenderIterationOptions {
  readonly claims: DeliveryClaims;
  readonly launch: (claimed: readonly ClaimedMessage[]) => Promise<void>;
}

/** One claim; returns how long to wait for a wakeup before the next. */
function createIteration(
  flight: InFlight,
  { claims, launch }: SenderIterationOptions,
): () => Promise<number> {
  let limitedUntil = 0;
  return async () => {
    const free = flight.freeSlots();
    if (free < REFILL_MIN) return POLL_INTERVAL_MS;
    const { claimed, limited, more } = await claims.claim(free, flight);
    await launch(claimed);
    await pause(GATHER_MS);
    if (limited) limitedUntil = performance.now() + LIMITED_MEMORY_MS;
    else if (more || claimed.length > 0) return 0;
    return performance.now() < limitedUntil ? LIMITED_POLL_INTERVAL_MS : POLL_INTERVAL_MS;
  };
}

interface RepeatOptions {
  readonly iterate: () => Promise<number>;
  readonly signal: WakeSignal;
  readonly stopped: () => boolean;
}

async function repeat(app: App, { iterate, signal, stopped }: RepeatOptions): Promise<void> {
  while (!stopped()) {
    const waitMs = await iterate().catch((error: unknown) => {
      app.log.warn({ loop: 'sender', err: error }, 'iteration failed; retrying');
      return undefined;
    });
    if (stopped()) return;
    if (waitMs === undefined) await pause(AFTER_FAILURE_MS);
    else if (waitMs > 0) await signal.wait(waitMs);
  }
}

const pause = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));

function userAgent(root: URL): string {
  const { version } = Package.parse(JSON.parse(readFileSync(new URL('package.json', root), 'utf8')));
  return `aliquot/${version}`;
}

const Package = z.object({ version: z.string() });
